package dev.pheromone.cli.keys;

import dev.pheromone.address.Address;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.mail.SentAnswer;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.redaction.PublicCopy;
import dev.pheromone.redaction.Redactor;
import dev.pheromone.redaction.UnmarkableFieldException;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.ConsentEvents;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.PublicPass;
import dev.pheromone.session.mail.Signing;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// `rsm redact`: shows what must not become public in an envelope, then sends a public copy with
/// marks in its place.
public final class RedactCommand implements HiveCommand {

    /// What is typed to go on.
    private static final String WORD = "public";

    @Override
    public Spec spec() {
        return Spec.of(
                        "redact",
                        Group.GOVERNANCE,
                        "makes a public copy of an envelope, without secrets and names")
                .usage("rsm redact ID --public [--yes] [options]")
                .required("ID", "the envelope, or the last characters of its id")
                .opt(Opt.flag("public", "confirm that it is to leave the team"))
                .opt(Opt.flag("yes", "send it without asking"))
                .opt(
                        Opt.value("to", "ADDRESS", "who gets it; else whom the original went to")
                                .repeated())
                .opt(
                        Opt.value(
                                "rules",
                                "FILE",
                                "more rules; else redaction.rules in your configuration folder"))
                .note(
                        "The copy is a new envelope, signed by you, that refers to the original,"
                            + " which stays. What is found is shown first, as a diff: read it, for"
                            + " no list of rules finds everything.")
                .example("rsm redact k3f9x2 --public", "shows what would change, and asks")
                .example(
                        "rsm redact k3f9x2 --public --yes --to ops",
                        "sends the copy, to somebody else than the original")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        if (!call.args().has("public")) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "a redacted copy lets mail leave the team, expected --public")
                    .fix(call.line().plus("--public").toString());
        }
        OpenedCopy opened = hive.mail().opened(String.valueOf(call.args().operand(0)));
        Envelope original = opened.genuine();
        PublicCopy copy = PublicCopy.of(original, redactor(call, hive));
        Preview preview = new Preview(original, copy);
        Envelope envelope =
                new Signing(call, hive).sign(sealed(call, copy, recipients(call, original)));
        boolean isShown = false;
        if (!call.args().has("yes")) {
            if (!call.surroundings().terminal().input() || call.wantsJson()) {
                return preview.asUnconfirmed(call);
            }
            preview.show(call.screen());
            call.screen().flush();
            confirm(call);
            isShown = true;
        }
        Authority.Person person =
                new Authority(call, hive)
                        .confirmed(
                                Deed.of(
                                        "redact",
                                        String.valueOf(call.args().operand(0)),
                                        "making mail public"));
        SentAnswer sent =
                SentAnswer.ofNewEachTime(call, new Session(call, hive).sendRedacted(envelope));
        new ConsentEvents(call, hive)
                .redacted(original, envelope, PublicPass.redactions(copy), person);
        return new Redacted(preview, sent, isShown);
    }

    private static Redactor redactor(Invocation call, OpenHive hive) throws IOException {
        String file = call.args().value("rules");
        return file == null
                ? hive.publicPass().redactor()
                : hive.publicPass()
                        .redactor(
                                file,
                                new String(
                                        new TypedFiles(call).read(file, PublicPass.RULES_BYTES_MAX),
                                        StandardCharsets.UTF_8));
    }

    private static List<Address> recipients(Invocation call, Envelope original) {
        List<Address> to = new ArrayList<>();
        for (String typed : call.args().values("to")) {
            to.add(Typed.address(call, "option --to", typed));
        }
        return to.isEmpty() ? original.to() : to;
    }

    private static Envelope sealed(Invocation call, PublicCopy copy, List<Address> to) {
        try {
            return copy.draft(call.actor(), to, call.now()).seal();
        } catch (UnmarkableFieldException e) {
            ProblemException unmarkable = PublicPass.unmarkable(e);
            throw e.field().equals("to")
                    ? unmarkable
                            .hint("name who gets it instead, such as a lane or a queen:")
                            .remedy(new ProblemException.Remedy.With("to", "ADDRESS"))
                    : unmarkable;
        } catch (IllegalArgumentException e) {
            // The marks made it larger than an envelope may be.
            throw new CliException(ErrorCode.NOT_PUBLIC, String.valueOf(e.getMessage()), e);
        }
    }

    private static void confirm(Invocation call) throws IOException {
        call.prompt("sending this where anybody may read it: type " + WORD + " to continue: ");
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(call.surroundings().in(), StandardCharsets.UTF_8));
        String typed = in.readLine();
        if (typed == null || !typed.strip().equals(WORD)) {
            throw new CliException(
                    ErrorCode.NO_TERMINAL,
                    "found another word than \"" + WORD + "\"; nothing was sent");
        }
    }

    /// What would change.
    private record Preview(Envelope original, PublicCopy copy) {

        Json.Obj json() {
            return Json.obj()
                    .put("original", original.id().text())
                    .put("redactions", PublicPass.redactions(copy))
                    .put("findings", PublicPass.findings(copy));
        }

        void show(Screen screen) {
            if (!copy.isClean()) {
                screen.body(copy.diff(), original.from().name());
            }
            screen.line(summary());
        }

        private String summary() {
            List<String> kinds = new ArrayList<>();
            for (Map.Entry<String, Integer> kind : copy.counts().entrySet()) {
                kinds.add(kind.getValue() + " " + kind.getKey());
            }
            return kinds.isEmpty()
                    ? "found nothing to take out of " + original.id().shortForm()
                    : "taken out of " + original.id().shortForm() + ": " + String.join(", ", kinds);
        }

        Answer asUnconfirmed(Invocation call) {
            return new Unconfirmed(
                    this,
                    new CliException(
                                    ErrorCode.NO_TERMINAL,
                                    "nothing was sent yet: there is no terminal to ask at")
                            .hint("if the copy may be public:")
                            .fix(call.line().plus("--yes").toString()));
        }
    }

    /// What would change, shown where nobody can be asked.
    private record Unconfirmed(Preview preview, CliException unasked) implements Answer {

        @Override
        public Json.Obj json() {
            return preview.json();
        }

        @Override
        public void show(Screen screen) {
            preview.show(screen);
        }

        @Override
        public @Nullable CliException failure() {
            return unasked;
        }
    }

    /// The copy that was sent.
    private record Redacted(Preview preview, SentAnswer sent, boolean isShown) implements Answer {

        @Override
        public Json.Obj json() {
            return sent.json().putAll(preview.json());
        }

        @Override
        public void show(Screen screen) {
            if (!isShown) {
                preview.show(screen);
            }
            sent.show(screen);
        }

        @Override
        public void showBriefly(Screen screen) {
            sent.showBriefly(screen);
        }
    }
}
