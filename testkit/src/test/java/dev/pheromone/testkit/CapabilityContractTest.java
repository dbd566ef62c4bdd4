package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.pheromone.Capability;
import dev.pheromone.Lag;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/// Each promise has a test in the contract that fails for a transport which declares the promise
/// and does not keep it.
final class CapabilityContractTest {

    /// Time in which a transport hides mail that it was given.
    private static final Duration HIDDEN = Duration.ofMillis(60);

    /// Runs the contract's test of one promise. A promise without a test does not compile.
    // The runner would report the failures that are wanted here.
    @SuppressWarnings("JUnitMethodInvoked")
    private static void test(Capability promise, TransportContract contract) throws Exception {
        switch (promise) {
            case SURVIVES_POWER_CUT ->
                    contract.whatWasConfirmedSurvivesAPowerCutWhereThatIsPromised();
            case EFFECTIVE_ORDER ->
                    contract.whatFailedStandsBehindItsClassWhereTheOrderIsEffective();
            case SHARED_TURNS -> contract.everyFourthPickIsTheDueTurnWhoeverMakesIt();
            case ATTENDED_LEASES ->
                    contract.whoIsGoneLosesItsAttendedClaimAtOnceWhereThatIsNoticed();
            case PAUSES_RELEASED ->
                    contract.whatIsReleasedCanBeTakenAtOnceOrAsSaidAndDoesNotCount();
            case KEEPS_DONE -> contract.whatIsDoneCanBeReadAgainWhereItIsKept();
            case HEEDS_LOCKS -> contract.aLockWithholdsMailWhereLocksAreHeeded();
            case THROTTLES -> contract.whoSendsTooMuchIsRefusedWhereThatIsNoticed();
            case LOGS_EVENTS -> contract.eachStepIsToldWhereEventsAreLogged();
        }
    }

    @ParameterizedTest
    @EnumSource(Capability.class)
    void whoDeclaresAPromiseAndDoesNotKeepItFailsItsTest(Capability promise) {
        Set<Capability> declared = EnumSet.of(promise, Capability.SHARED_TURNS);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> test(promise, new Pretender(promise, declared)));
    }

    /// But for the due turn, which every transport has.
    @ParameterizedTest
    @EnumSource(value = Capability.class, mode = EnumSource.Mode.EXCLUDE, names = "SHARED_TURNS")
    void whoDoesNotDeclareItPassesTheTestWithoutIt(Capability promise) {
        assertThatCode(() ->
                        test(promise, new Pretender(promise, EnumSet.of(Capability.SHARED_TURNS))))
                .doesNotThrowAnyException();
    }

    /// The tests below differ from this one in what the power cut takes, and fail for that reason.
    @Test
    void whoLosesNothingInAPowerCutPasses() {
        assertThatCode(() ->
                        test(
                                Capability.SURVIVES_POWER_CUT,
                                Pretender.forgetful(Pretender.Loss.NOTHING)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(value = Pretender.Loss.class, mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
    void whoLosesConfirmedMailInAPowerCutFails(Pretender.Loss loss) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> test(Capability.SURVIVES_POWER_CUT, Pretender.forgetful(loss)));
    }

    @Test
    void whoDoesNotDeclareSharedTurnsFails() {
        Pretender silent = new Pretender(Capability.THROTTLES, Set.of());
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(silent::everyFourthPickIsTheDueTurnWhoeverMakesIt);
    }

    @Test
    void whoIsSlowerThanItSaysFails() {
        for (Lag lag : Set.of(Lag.NONE, new Lag(HIDDEN.dividedBy(10), HIDDEN))) {
            Pretender slow = Pretender.slow(HIDDEN, lag);
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(slow::whatIsSentArrivesByteForByteWithinTheDeclaredLag)
                    .withMessageContaining("within the declared lag");
        }
    }

    @Test
    void whoIsAsSlowAsItSaysPasses() {
        Pretender slow = Pretender.slow(Duration.ofMillis(5), new Lag(HIDDEN, HIDDEN));
        assertThatCode(slow::whatIsSentArrivesByteForByteWithinTheDeclaredLag)
                .doesNotThrowAnyException();
    }
}
