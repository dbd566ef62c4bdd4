package dev.pheromone.cli.keys;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Exit;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.OptionalHive;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeProblems;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Acceptance;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.Lookup;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.text.Json;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// `rsm verify`: is this an envelope, is its body whole, and who vouches for it?
public final class VerifyCommand implements Command {

    private static final int FILE_BYTES_MAX = EnvelopeText.ENVELOPE_BYTES_MAX;

    @Override
    public Spec spec() {
        return Spec.of("verify", Group.GOVERNANCE, "checks envelopes: form, hash and signature")
                .oneOrMore(
                        "FILE|ID",
                        "a file anywhere, - for standard input, or the id of an envelope in the"
                                + " hive")
                .note(
                        "Every problem is listed, by line and column. What is good here is taken by"
                                + " an inbox, too. Exit 5 if one of them is not as it should be;"
                                + " otherwise exit 6 if one was not found.")
                .example("rsm verify note.md", "checks a file that another program wrote")
                .example(
                        "rsm verify k3f9x2 --json",
                        "checks an envelope of this hive, for a program")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        List<Report> reports = new ArrayList<>();
        try (OptionalHive hive = OptionalHive.of(call)) {
            for (String typed : call.args().operands()) {
                reports.add(verify(call, hive, typed));
            }
        }
        return new Verified(reports);
    }

    /// One thing checked; what can't be found or read is a problem of this one alone.
    private static Report verify(Invocation call, OptionalHive hive, String typed)
            throws WithheldException {
        try {
            return check(call, hive, typed);
        } catch (ProblemException e) {
            return Report.unread(typed, Exit.NOT_FOUND, String.valueOf(e.getMessage()));
        } catch (CliException e) {
            Exit exit = e.code() == ErrorCode.BAD_FILE ? Exit.CONFLICT : Exit.NOT_FOUND;
            return Report.unread(typed, exit, String.valueOf(e.getMessage()));
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return Report.unread(typed, Exit.FAILED, FileProblem.describe(e));
        }
    }

    private static Report check(Invocation call, OptionalHive hive, String typed)
            throws IOException {
        TypedFiles files = new TypedFiles(call);
        if (files.exists(typed)) {
            byte[] bytes = files.read(typed, FILE_BYTES_MAX);
            return check(call, hive, typed, bytes, null, call.now());
        }
        if (looksLikeFile(typed)) {
            throw new CliException(ErrorCode.NO_SUCH_FILE, "no such file");
        }
        OpenHive open = hive.required();
        return new Lookup(open)
                .first(
                        typed,
                        copy ->
                                check(
                                        call,
                                        hive,
                                        typed,
                                        open.catalog().read(copy),
                                        copy.inbox(),
                                        open.catalog().firstSeen(copy)));
    }

    /// @param inbox where it lies, or null for a file that lies in none
    /// @param firstSeen when it came there; now, for a file that lies in none
    private static Report check(
            Invocation call,
            OptionalHive hive,
            String typed,
            byte[] bytes,
            @Nullable Domain inbox,
            Instant firstSeen)
            throws IOException {
        Envelope envelope;
        try {
            envelope = Envelope.parse(bytes);
        } catch (MalformedEnvelopeException e) {
            return Report.of(typed, EnvelopeProblems.in(bytes));
        }
        if (!hive.isThere()) {
            SignatureCheck check =
                    TrustList.empty().check(envelope, call.now(), SignaturePolicy.OPTIONAL);
            return Report.of(
                    typed, envelope, check, Acceptance.objections(envelope, firstSeen, check));
        }
        if (inbox != null) {
            hive.required().tellIfKept(envelope.expiresAt());
        }
        HiveConfig config = hive.required().config();
        SignatureCheck check =
                hive.required().trust().check(envelope, call.now(), config.signatures());
        return Report.of(
                typed,
                envelope,
                check,
                inbox == null
                        ? Acceptance.objections(envelope, firstSeen, check)
                        : Acceptance.objections(envelope, firstSeen, check, inbox, config));
    }

    private static boolean looksLikeFile(String typed) {
        return typed.indexOf('/') >= 0 || typed.endsWith(".md");
    }

    /// One thing that is wrong, and where; line 0 if it is in no line.
    private record Problem(int line, int column, @Nullable String field, String message) {

        Json.Obj json() {
            return Json.obj()
                    .put("line", line)
                    .put("column", column)
                    .put("field", field == null ? Json.Null.NULL : Json.of(field))
                    .put("message", message);
        }
    }

    private record Report(
            String thing,
            @Nullable Envelope envelope,
            @Nullable Boolean hashOk,
            @Nullable SignatureCheck check,
            Exit exit,
            List<Problem> problems) {

        /// A thing of which nothing is known but why.
        static Report unread(String thing, Exit exit, String problem) {
            return new Report(
                    thing, null, null, null, exit, List.of(new Problem(0, 0, null, problem)));
        }

        static Report of(
                String thing,
                Envelope envelope,
                SignatureCheck check,
                List<Acceptance.Objection> objections) {
            List<Problem> problems = new ArrayList<>();
            for (Acceptance.Objection objection : objections) {
                problems.add(at(envelope, objection.field(), objection.reason()));
            }
            Exit exit = problems.isEmpty() ? Exit.DONE : Exit.CONFLICT;
            return new Report(thing, envelope, envelope.hashMatches(), check, exit, problems);
        }

        static Report of(String thing, EnvelopeProblems found) {
            List<Problem> problems = new ArrayList<>();
            for (MalformedEnvelopeException e : found.malformed()) {
                problems.add(new Problem(e.line(), e.column(), e.field(), e.problem()));
            }
            Boolean hashOk = found.hashMatches().orElse(null);
            if (Boolean.FALSE.equals(hashOk)) {
                problems.add(
                        new Problem(
                                0,
                                0,
                                Acceptance.WRONG_HASH.field(),
                                Acceptance.WRONG_HASH.reason()));
            }
            return new Report(thing, null, hashOk, null, Exit.CONFLICT, problems);
        }

        private static Problem at(Envelope envelope, String field, String message) {
            int line = envelope.text().field(field).map(EnvelopeText.Field::line).orElse(0);
            return new Problem(line, line == 0 ? 0 : 1, field, message);
        }

        Json.Obj json() {
            Json.Obj json = Json.obj().put("file", thing);
            if (envelope == null || check == null) {
                json =
                        json.put("id", Json.Null.NULL)
                                .put("hash_ok", hashOk == null ? Json.Null.NULL : Json.of(hashOk));
                for (String unknown : List.of("signature", "kid", "actor")) {
                    json = json.put(unknown, Json.Null.NULL);
                }
            } else {
                json =
                        json.put("id", envelope.id().text())
                                .put("hash_ok", envelope.hashMatches())
                                .put("signature", OpenedCopy.word(check))
                                .put(
                                        "kid",
                                        envelope.kid()
                                                .<Json>map(kid -> Json.of(kid.name()))
                                                .orElse(Json.Null.NULL))
                                .put("actor", envelope.from().name())
                                .putTexts("warnings", envelope.warnings());
            }
            List<Json> found = new ArrayList<>();
            problems.forEach(problem -> found.add(problem.json()));
            return json.put("problems", Json.arr(found));
        }
    }

    private record Verified(List<Report> reports) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            reports.forEach(report -> items.add(report.json()));
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            for (Report report : reports) {
                String name = SafeText.line(report.thing());
                if (report.problems().isEmpty()
                        && report.envelope() != null
                        && report.check() != null) {
                    screen.line(
                            name
                                    + ": "
                                    + screen.styled(Style.GREEN, "good")
                                    + ", from "
                                    + report.envelope().from()
                                    + ", "
                                    + (report.check() instanceof SignatureCheck.Valid valid
                                            ? "signed with key " + valid.kid()
                                            : "unsigned"));
                    report.envelope()
                            .warnings()
                            .forEach(warning ->
                                    screen.line(name + ": warning: " + SafeText.line(warning)));
                }
                for (Problem problem : report.problems()) {
                    String place =
                            problem.line() == 0
                                    ? ""
                                    : ":" + problem.line() + ":" + problem.column();
                    String field = problem.field() == null ? "" : problem.field() + ": ";
                    screen.line(name + place + ": " + SafeText.line(field + problem.message()));
                }
            }
        }

        @Override
        public @Nullable CliException failure() {
            int bad = 0;
            int missing = 0;
            List<Exit> exits = new ArrayList<>();
            for (Report report : reports) {
                exits.add(report.exit());
                if (report.exit() == Exit.NOT_FOUND) {
                    missing++;
                } else if (report.exit() != Exit.DONE) {
                    bad++;
                }
            }
            ErrorCode code =
                    switch (Exit.ofSeveral(exits)) {
                        case FAILED -> ErrorCode.IO;
                        case NOT_FOUND -> ErrorCode.NO_SUCH_ID;
                        default -> ErrorCode.BAD_MAIL;
                    };
            if (bad == 0 && missing == 0) {
                return null;
            }
            String envelopes = reports.size() == 1 ? " envelope" : " envelopes";
            return new CliException(
                    code,
                    bad == 0
                            ? missing + " of " + reports.size() + envelopes + " not found"
                            : bad
                                    + " of "
                                    + reports.size()
                                    + envelopes
                                    + (bad == 1
                                            ? " is not as it should be"
                                            : " are not as they should be")
                                    + (missing == 0 ? "" : ", " + missing + " not found"));
        }
    }
}
