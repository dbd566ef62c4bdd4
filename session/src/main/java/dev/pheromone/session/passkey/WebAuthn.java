package dev.pheromone.session.passkey;

import com.webauthn4j.WebAuthnManager;
import com.webauthn4j.converter.AttestedCredentialDataConverter;
import com.webauthn4j.converter.exception.DataConversionException;
import com.webauthn4j.converter.util.ObjectConverter;
import com.webauthn4j.credential.CredentialRecordImpl;
import com.webauthn4j.data.AuthenticationData;
import com.webauthn4j.data.AuthenticationParameters;
import com.webauthn4j.data.AuthenticationRequest;
import com.webauthn4j.data.PublicKeyCredentialParameters;
import com.webauthn4j.data.PublicKeyCredentialType;
import com.webauthn4j.data.RegistrationData;
import com.webauthn4j.data.RegistrationParameters;
import com.webauthn4j.data.RegistrationRequest;
import com.webauthn4j.data.attestation.authenticator.AttestedCredentialData;
import com.webauthn4j.data.attestation.authenticator.AuthenticatorData;
import com.webauthn4j.data.attestation.statement.COSEAlgorithmIdentifier;
import com.webauthn4j.data.client.Origin;
import com.webauthn4j.data.client.challenge.DefaultChallenge;
import com.webauthn4j.server.ServerProperty;
import com.webauthn4j.verifier.exception.BadBackupEligibleFlagException;
import com.webauthn4j.verifier.exception.BadChallengeException;
import com.webauthn4j.verifier.exception.BadOriginException;
import com.webauthn4j.verifier.exception.BadRpIdException;
import com.webauthn4j.verifier.exception.BadSignatureException;
import com.webauthn4j.verifier.exception.CrossOriginException;
import com.webauthn4j.verifier.exception.IllegalBackupStateException;
import com.webauthn4j.verifier.exception.MaliciousCounterValueException;
import com.webauthn4j.verifier.exception.NotAllowedAlgorithmException;
import com.webauthn4j.verifier.exception.NotAllowedCredentialIdException;
import com.webauthn4j.verifier.exception.UserNotPresentException;
import com.webauthn4j.verifier.exception.UserNotVerifiedException;
import com.webauthn4j.verifier.exception.VerificationException;

import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Objects;

/// Checks what browsers and authenticators say, by the library that knows it all. Whoever has
/// nothing to check does not load it.
final class WebAuthn {

    private static final int AAGUID_BYTES = 16;

    private static final ObjectConverter OBJECTS = new ObjectConverter();

    /// Of which maker an authenticator is says nothing about the person, so it is not asked for.
    private static final WebAuthnManager MANAGER =
            WebAuthnManager.createNonStrictWebAuthnManager(OBJECTS);

    private WebAuthn() {}

    /// The passkey that `made` tells of.
    static NewPasskey register(Registration made, byte[] challenge, String origin)
            throws RefusedException {
        try {
            RegistrationData data =
                    MANAGER.verify(
                            new RegistrationRequest(
                                    Base64Url.bytes(made.attestation()),
                                    Base64Url.bytes(made.client())),
                            new RegistrationParameters(
                                    server(challenge, origin), algorithms(), true, true));
            AuthenticatorData<?> told =
                    Objects.requireNonNull(data.getAttestationObject()).getAuthenticatorData();
            AttestedCredentialData key = Objects.requireNonNull(told.getAttestedCredentialData());
            return new NewPasskey(
                    KeyBytes.of(key.getCredentialId()),
                    KeyBytes.of(OBJECTS.getCborMapper().writeValueAsBytes(key.getCOSEKey())),
                    told.isFlagBE(),
                    told.getSignCount());
        } catch (VerificationException | DataConversionException e) {
            throw refused(e);
        } catch (RuntimeException e) {
            throw malformed(e);
        }
    }

    /// Whether `passkey` vouches for `challenge`: fails unless a person was there, and was
    /// verified, at the page of `origin`.
    ///
    /// @param count how often it had signed before
    /// @return how often it has signed now
    static long check(Assertion shown, Passkey passkey, byte[] challenge, String origin, long count)
            throws RefusedException {
        try {
            AuthenticationData data =
                    MANAGER.verify(
                            new AuthenticationRequest(
                                    Base64Url.bytes(shown.credential()),
                                    Base64Url.bytes(shown.authenticator()),
                                    Base64Url.bytes(shown.client()),
                                    Base64Url.bytes(shown.signature())),
                            new AuthenticationParameters(
                                    server(challenge, origin),
                                    record(passkey, count),
                                    List.of(passkey.credential().copy()),
                                    true,
                                    true));
            return Objects.requireNonNull(data.getAuthenticatorData()).getSignCount();
        } catch (VerificationException | DataConversionException e) {
            throw refused(e);
        } catch (RuntimeException e) {
            throw malformed(e);
        }
    }

    private static ServerProperty server(byte[] challenge, String origin) {
        return ServerProperty.builder()
                .origin(new Origin(origin))
                .rpId(Page.RP_ID)
                .challenge(new DefaultChallenge(challenge))
                .build();
    }

    private static List<PublicKeyCredentialParameters> algorithms() {
        return Page.ALGORITHMS.stream()
                .map(number ->
                        new PublicKeyCredentialParameters(
                                PublicKeyCredentialType.PUBLIC_KEY,
                                COSEAlgorithmIdentifier.create(number)))
                .toList();
    }

    /// What WebAuthn calls the credential record.
    private static CredentialRecordImpl record(Passkey passkey, long count) {
        byte[] credential = passkey.credential().copy();
        ByteArrayOutputStream attested = new ByteArrayOutputStream();
        attested.writeBytes(new byte[AAGUID_BYTES]);
        attested.write(credential.length >> 8);
        attested.write(credential.length);
        attested.writeBytes(credential);
        attested.writeBytes(passkey.publicKey().copy());
        return new CredentialRecordImpl(
                null,
                true,
                passkey.synced(),
                passkey.synced(),
                count,
                new AttestedCredentialDataConverter(OBJECTS).convert(attested.toByteArray()),
                null,
                null,
                null,
                null);
    }

    private static RefusedException refused(RuntimeException e) {
        return new RefusedException(
                switch (e) {
                    case BadChallengeException _ ->
                            "the passkey answered another challenge than that of this deed";
                    case BadOriginException _ -> "another page asked for it than this board's";
                    case CrossOriginException _ -> "a page inside of another page asked for it";
                    case BadRpIdException _ -> "the passkey is one of another name than localhost";
                    case UserNotPresentException _ -> "nobody touched the authenticator";
                    case UserNotVerifiedException _ ->
                            "the authenticator did not verify who is there, by a finger, a face or"
                                    + " a PIN";
                    case BadSignatureException _ -> "the signature is not the passkey's";
                    case MaliciousCounterValueException _ ->
                            "the authenticator's counter went back: the passkey may have been"
                                    + " copied";
                    case BadBackupEligibleFlagException _ ->
                            "the passkey says otherwise than before whether it may be copied";
                    case IllegalBackupStateException _ ->
                            "the passkey says that it was copied, and may not be";
                    case NotAllowedCredentialIdException _ ->
                            "another passkey answered than the one that is named";
                    case NotAllowedAlgorithmException _ ->
                            "the passkey signs in a way that was not asked for";
                    case DataConversionException _ -> "it is not what WebAuthn has";
                    default -> "it is not as WebAuthn has it: " + e.getClass().getSimpleName();
                });
    }

    /// The library fails on some bytes in ways of its own.
    private static RefusedException malformed(RuntimeException e) {
        return new RefusedException("it is not what WebAuthn has: " + e.getClass().getSimpleName());
    }
}
