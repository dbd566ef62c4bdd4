package dev.pheromone.session.caller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.envelope.FromOrigin;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;

class IdentityTest {

    private final Map<String, String> env = new HashMap<>();

    private Identity resolve(String flag) {
        return Identity.resolve(flag, env, "You");
    }

    private void resolvesTo(String name, FromOrigin origin) {
        assertThat(resolve(null).actor().name()).isEqualTo(name);
        assertThat(resolve(null).origin()).isEqualTo(origin);
    }

    @Test
    void aPersonIsTheUserInLowerCase() {
        resolvesTo("you", FromOrigin.DEFAULT);
    }

    @Test
    void theVariableBeatsTheUserAndTheFlagBeatsBoth() {
        env.put("RSM_ACTOR", "ci");
        resolvesTo("ci", FromOrigin.ENVIRONMENT);
        assertThat(resolve("Whisperwing").actor().name()).isEqualTo("Whisperwing");
        assertThat(resolve("Whisperwing").origin()).isEqualTo(FromOrigin.FLAG);
    }

    @Test
    void aNameThatIsNoneIsWrongUsage() {
        assertThatThrownBy(() -> resolve("../etc"))
                .isInstanceOf(ProblemException.class)
                .hasMessageStartingWith("actor: found \"../etc\"");
    }

    @Test
    void userNamesBecomeNames() {
        assertThat(Identity.asName("You Lovelace", "user")).isEqualTo("you-lovelace");
        assertThat(Identity.asName("CORP\\you.l", "user")).isEqualTo("corp-you-l");
        assertThat(Identity.asName("_x_", "user")).isEqualTo("x_");
        assertThat(Identity.asName("?", "user")).isEqualTo("user");
        assertThat(Identity.asName("a".repeat(100), "user")).hasSize(64);
    }

    @Nested
    class InAnAgentsSession {

        @Test
        void theSessionIsTheActor() {
            env.put("CLAUDECODE", "1");
            env.put("CLAUDE_CODE_SESSION_ID", "8a718ed2-2856-435b-bd9a-63c5b8291b42");
            assertThat(resolve(null).actor().name()).matches("claude-[0-9a-f]{4}");
            assertThat(resolve(null).origin()).isEqualTo(FromOrigin.ENVIRONMENT);
        }

        @Test
        void twoSessionsAreTwoActorsAndEachStaysTheSame() {
            env.put("CODEX_THREAD_ID", "one");
            String first = resolve(null).actor().name();
            assertThat(resolve(null).actor().name()).isEqualTo(first);
            env.put("CODEX_THREAD_ID", "two");
            assertThat(resolve(null).actor().name()).startsWith("codex-").isNotEqualTo(first);
        }

        @Test
        void aToolThatTellsNoSessionGivesItsName() {
            env.put("GEMINI_CLI", "1");
            resolvesTo("gemini", FromOrigin.ENVIRONMENT);
        }

        @Test
        void anyOtherToolMayNameItself() {
            env.put("AI_AGENT", "My Agent/2.0");
            resolvesTo("my-agent-2-0", FromOrigin.ENVIRONMENT);
        }

        @Test
        void theInnermostToolCounts() {
            env.put("CLAUDECODE", "1");
            env.put("CODEX_SANDBOX", "seatbelt");
            resolvesTo("codex", FromOrigin.ENVIRONMENT);
        }

        @Test
        void settingsOfAToolAreNoSession() {
            env.put("CODEX_HOME", "/home/you/.codex");
            env.put("CLAUDECODE", "0");
            resolvesTo("you", FromOrigin.DEFAULT);
        }

        @Test
        void thePersonsNameIsRefusedWhenTyped() {
            env.put("GEMINI_CLI", "1");
            assertThatThrownBy(() -> resolve("you"))
                    .isInstanceOf(ProblemException.class)
                    .hasMessage("actor \"you\" is a person, and this is a session of gemini");
        }

        @Test
        void thePersonsNameIsIgnoredWhenInherited() {
            env.put("GEMINI_CLI", "1");
            env.put("RSM_ACTOR", "you");
            resolvesTo("gemini", FromOrigin.ENVIRONMENT);
        }

        @Test
        void anotherNameMayBeGiven() {
            env.put("GEMINI_CLI", "1");
            env.put("RSM_ACTOR", "reviewer");
            resolvesTo("reviewer", FromOrigin.ENVIRONMENT);
        }
    }
}
