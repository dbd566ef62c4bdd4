package dev.pheromone.cli;

import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeText;
import dev.pheromone.Json;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.SignatureCheck;
import dev.pheromone.SignaturePolicy;
import dev.pheromone.TrustList;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm verify`: is this an envelope, is its body whole, and who vouches for it?
final class VerifyCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("verify", Group.GOVERNANCE, "checks envelopes: form, hash and signature")
                .oneOrMore(
                        "FILE|ID",
                        "a file anywhere, - for standard input, or the id of an envelope in the"
                                + " hive")
                .note(
                        "Exit 5 if one of them is not as it should be; the place is named by line"
                                + " and column. Otherwise exit 6 if one was not found.")
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
        byte[] bytes;
        TypedFiles files = new TypedFiles(call);
        if (files.exists(typed)) {
            bytes = files.read(typed, EnvelopeText.ENVELOPE_BYTES_MAX);
        } else if (looksLikeFile(typed)) {
            throw new CliException(ErrorCode.NO_SUCH_FILE, "no such file");
        } else {
            OpenHive open = hive.required();
            bytes = new Lookup(open).bytes(typed);
        }
        try {
            Envelope envelope = Envelope.parse(bytes);
            TrustList trust = hive.isThere() ? hive.required().trust() : TrustList.empty();
            SignaturePolicy policy =
                    hive.isThere()
                            ? hive.required().config().signatures()
                            : SignaturePolicy.OPTIONAL;
            return Report.of(typed, envelope, trust.check(envelope, call.now(), policy));
        } catch (MalformedEnvelopeException e) {
            return Report.of(typed, e);
        }
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
            boolean hashOk,
            @Nullable SignatureCheck check,
            Exit exit,
            List<Problem> problems) {

        /// A thing of which nothing is known but why.
        static Report unread(String thing, Exit exit, String problem) {
            return new Report(
                    thing, null, false, null, exit, List.of(new Problem(0, 0, null, problem)));
        }

        static Report of(String thing, Envelope envelope, SignatureCheck check) {
            List<Problem> problems = new ArrayList<>();
            boolean hashOk = envelope.hashMatches();
            if (!hashOk) {
                problems.add(
                        at(envelope, "hash", "the body has another hash than the header says"));
            }
            if (check instanceof SignatureCheck.Bad(var reason)) {
                problems.add(at(envelope, "sig", reason));
            }
            Exit exit = problems.isEmpty() ? Exit.DONE : Exit.CONFLICT;
            return new Report(thing, envelope, hashOk, check, exit, problems);
        }

        static Report of(String thing, MalformedEnvelopeException e) {
            return new Report(
                    thing,
                    null,
                    false,
                    null,
                    Exit.CONFLICT,
                    List.of(new Problem(e.line(), e.column(), e.field(), e.problem())));
        }

        private static Problem at(Envelope envelope, String field, String message) {
            int line = envelope.text().field(field).map(EnvelopeText.Field::line).orElse(0);
            return new Problem(line, line == 0 ? 0 : 1, field, message);
        }

        Json.Obj json() {
            Json.Obj json = Json.obj().put("file", thing);
            if (envelope == null || check == null) {
                for (String unknown : List.of("id", "hash_ok", "signature", "kid", "actor")) {
                    json = json.put(unknown, Json.Null.NULL);
                }
            } else {
                json =
                        json.put("id", envelope.id().text())
                                .put("hash_ok", hashOk)
                                .put("signature", Letter.word(check))
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
