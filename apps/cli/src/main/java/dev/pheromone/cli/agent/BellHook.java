package dev.pheromone.cli.agent;

import dev.pheromone.address.Domain;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Guards;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.seat.Bell;
import dev.pheromone.session.seat.Moment;
import dev.pheromone.session.seat.Ringing;
import dev.pheromone.session.seat.Visit;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The hook as a bell: what an agent program is told of its session's mail, in the program's own
/// form. A bell never blocks and never fails: what goes wrong is silent.
final class BellHook {

    private static final String SERVES = "RSM_SERVES";

    /// Variables that say whether a person sits before a session: the program's own, and one for
    /// programs that have none.
    private static final List<String> ATTENDED =
            List.of("CLAUDE_CODE_SESSION_ATTENDED", "RSM_ATTENDED");

    private final Invocation call;
    private final HookInput input;

    BellHook(Invocation call, HookInput input) {
        this.call = call;
        this.input = input;
    }

    /// What there is to say at `event`.
    ///
    /// @param notice what the session is to be told beside its mail; null for nothing
    Answer answer(BellEvent event, @Nullable String notice) {
        try {
            AgentSession session = input.session(call);
            String id = session.id();
            Guards.Guarded hive = hive();
            if (id == null || hive == null) {
                return new Rung(call, event, null, null, null, notice);
            }
            Bell bell = new Bell(hive.layout(), hive.guard(), call.now());
            HiveLayout watched =
                    event.form() == BellEvent.Form.CONTEXT_AND_WATCH ? hive.layout() : null;
            try {
                // What can't be told at a stop is told by the next moment that can.
                boolean holds = event.form() == BellEvent.Form.BLOCK;
                Ringing ringing = bell.at(event.moment(), visit(session, id, holds));
                return new Rung(
                        call,
                        event,
                        ringing instanceof Ringing.Rung rung ? rung : null,
                        bell,
                        watched,
                        notice);
            } catch (IOException | RuntimeException e) {
                return new Rung(call, event, null, null, watched, notice);
            }
        } catch (IOException | NoHiveException | RuntimeException e) {
            return new Rung(call, event, null, null, null, notice);
        }
    }

    /// Notes that a tool is about to be used, for what that proves.
    void noteTool(GuardLocks locks) {
        try {
            AgentSession session = input.session(call);
            String id = session.id();
            Guards.Guarded hive = id == null ? null : locks.nearest().orElse(null);
            if (id != null && hive != null) {
                Ringing _ =
                        new Bell(hive.layout(), hive.guard(), call.now())
                                .at(Moment.TOOL_AHEAD, visit(session, id, false));
            }
        } catch (IOException | RuntimeException e) {
            // Nothing is proven then.
        }
    }

    private Guards.@Nullable Guarded hive() throws NoHiveException, IOException {
        List<Guards.Guarded> hives = new Guards(call, input.folders(call)).here();
        return hives.isEmpty() ? null : hives.getFirst();
    }

    private Visit visit(AgentSession session, String id, boolean mayHold) {
        return new Visit(
                call.identityIn(session).actor(),
                session.harness(),
                id,
                input.text("version").orElse(""),
                input.text("transcript_path", "transcriptPath").orElse(""),
                input.text("agent_id", "agentId").isPresent(),
                !mayHold || input.isSet("stop_hook_active", "stopHookActive"),
                isAttended(),
                serves(),
                call.callerPid(),
                (file, bytesMax) -> new TypedFiles(call).readEnd(file, bytesMax));
    }

    private boolean isAttended() {
        for (String variable : ATTENDED) {
            String value = call.surroundings().variable(variable);
            if (value != null) {
                return value.equals("1") || value.equalsIgnoreCase("true");
            }
        }
        return false;
    }

    private List<Domain> serves() {
        List<Domain> domains = new ArrayList<>();
        String named = call.surroundings().variable(SERVES);
        if (named != null) {
            for (String name : named.replace(',', ' ').split(" +", -1)) {
                Domain.find(name)
                        .filter(domain -> !domains.contains(domain))
                        .ifPresent(domains::add);
            }
        }
        return domains;
    }

    /// What is printed for a program.
    ///
    /// @param rung null if there is nothing to say
    /// @param bell what notes that the text was printed; null if there is no text
    /// @param watched the hive whose folders are to be watched; null for none
    /// @param notice what else is to be said, where the program takes a text; null for nothing
    private record Rung(
            Invocation call,
            BellEvent event,
            Ringing.@Nullable Rung rung,
            @Nullable Bell bell,
            @Nullable HiveLayout watched,
            @Nullable String notice)
            implements Answer {

        /// All that there is to say to the model; null for nothing.
        private @Nullable String context() {
            if (rung == null || notice == null) {
                return rung == null ? notice : rung.text();
            }
            return rung.text() + "\n" + notice;
        }

        @Override
        public Json.Obj json() {
            return switch (event.form()) {
                case CONTEXT, CONTEXT_AND_WATCH -> hookOutput(context());
                case BARE_CONTEXT -> withContext(Json.obj(), context());
                case BLOCK ->
                        rung == null
                                ? Json.obj()
                                : Json.obj().put("decision", "block").put("reason", rung.text());
                case STDERR, NONE -> Json.obj();
            };
        }

        private static Json.Obj withContext(Json.Obj output, @Nullable String text) {
            return text == null ? output : output.put("additionalContext", text);
        }

        private Json.Obj hookOutput(@Nullable String text) {
            Json.Obj output = withContext(Json.obj().put("hookEventName", event.name()), text);
            if (watched != null) {
                output =
                        output.putTexts(
                                "watchPaths",
                                List.of(watched.inboxes().toString(), watched.wakes().toString()));
            }
            return output.size() == 1 ? Json.obj() : Json.obj().put("hookSpecificOutput", output);
        }

        /// Programs take whatever is printed for more than it is.
        @Override
        public boolean isSilent() {
            return true;
        }

        @Override
        public void show(Screen screen) {
            if (event.form() == BellEvent.Form.STDERR) {
                if (rung != null) {
                    call.showAside((rung.text() + "\n").getBytes(StandardCharsets.UTF_8));
                }
            } else {
                Json.Obj json = json();
                if (json.size() > 0) {
                    screen.line(json.toString());
                    screen.flush();
                }
            }
            notePrinted();
        }

        private void notePrinted() {
            try {
                if (bell != null && rung != null) {
                    bell.printed(rung);
                }
            } catch (IOException | RuntimeException e) {
                // Without its event the text proves nothing, and the mail waits all the same.
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }

        @Override
        public @Nullable CliException failure() {
            return event.form() == BellEvent.Form.STDERR && rung != null
                    ? new CliException(ErrorCode.BLOCKED, rung.text())
                    : null;
        }

        @Override
        public boolean tellsFailure() {
            return true;
        }
    }
}
