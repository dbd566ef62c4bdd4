package dev.pheromone.session.hive;

import dev.pheromone.PublicCheck;
import dev.pheromone.SendResult;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.redaction.Finding;
import dev.pheromone.redaction.MalformedRulesException;
import dev.pheromone.redaction.PrivateWords;
import dev.pheromone.redaction.PublicCopy;
import dev.pheromone.redaction.RedactionCheck;
import dev.pheromone.redaction.Redactor;
import dev.pheromone.redaction.Rules;
import dev.pheromone.redaction.UnmarkableFieldException;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.OwnKey;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The look that mail gets before it is public: at what this machine knows to be private, by the
/// built-in rules and the user's own.
public final class PublicPass implements PublicCheck {

    /// In the user's configuration folder: in a repository, whoever can commit could switch rules
    /// off.
    private static final String RULES_FILE = "redaction.rules";

    public static final int RULES_BYTES_MAX = 256 * 1024;

    private final Caller caller;
    private final HiveLayout layout;
    private final LockFiles guard;

    /// Null until public mail is met: most commands meet none, and patterns take a while to read.
    private @Nullable Rules rules;

    /// The envelope that was found to be clean last, so that no mail is looked through twice by one
    /// caller.
    private volatile @Nullable Envelope clean;

    public PublicPass(Caller caller, HiveLayout layout, LockFiles guard) {
        this.caller = caller;
        this.layout = layout;
        this.guard = guard;
    }

    /// Why `envelope` may not go as it is, if it is public and holds what must not become so; empty
    /// if it may. For mail that was written when what must not be known was itself not known: under
    /// a lock that somebody made by hand.
    ///
    /// @param tells whether the log is to know, too
    public String problem(Envelope envelope, Tells tells) throws IOException {
        if (envelope.consent() != Consent.PUBLIC) {
            return "";
        }
        if (guard.check(layout.root(), Access.READ) instanceof Verdict.Blocked) {
            return "what must not become public is not known while the lists are locked";
        }
        PublicCopy copy = PublicCopy.of(envelope, redactor());
        try {
            copy.checkUnmarked(envelope.to());
        } catch (UnmarkableFieldException e) {
            return String.valueOf(e.getMessage());
        }
        if (copy.isClean()) {
            clean = envelope;
            return "";
        }
        if (tells == Tells.LOG) {
            tell(envelope, copy);
        }
        return "it holds what must not become public: " + places(copy);
    }

    /// What every transport that is opened asks about public mail. The log is told, too.
    @Override
    public Optional<SendResult.NotPublic> objection(Envelope envelope) throws IOException {
        if (envelope.equals(clean)) {
            return Optional.empty();
        }
        PublicCopy copy = PublicCopy.of(envelope, redactor());
        Optional<SendResult.NotPublic> objection = RedactionCheck.objection(copy);
        if (objection.isPresent()) {
            tell(envelope, copy);
        }
        return objection;
    }

    /// This check for whoever looks again and again at mail that stays where it is: the log is not
    /// told.
    public PublicCheck untold() {
        return envelope -> RedactionCheck.objection(PublicCopy.of(envelope, redactor()));
    }

    private void tell(Envelope envelope, PublicCopy copy) {
        new ConsentEvents(caller, layout, guard).refusedPublic(envelope, redactions(copy));
    }

    /// Who hears of it besides whoever asked.
    public enum Tells {
        NOBODY,
        LOG
    }

    /// Fails if `envelope` holds what must not become public.
    public void refuseIfTelling(Envelope envelope) throws IOException {
        PublicCopy copy = PublicCopy.of(envelope, redactor());
        try {
            copy.checkUnmarked(envelope.to());
        } catch (UnmarkableFieldException e) {
            throw unmarkable(e);
        }
        if (copy.isClean()) {
            clean = envelope;
        } else {
            tell(envelope, copy);
            throw new ProblemException(
                            Code.NOT_PUBLIC,
                            "the mail holds what must not become public: "
                                    + places(copy)
                                    + "; nothing was sent")
                    .hint(
                            "take it out; or send it to the team first, and make a public copy with"
                                    + " marks of that:  rsm redact ID --public")
                    .detail("redactions", redactions(copy))
                    .detail("findings", findings(copy));
        }
    }

    public static ProblemException unmarkable(UnmarkableFieldException e) {
        return new ProblemException(Code.NOT_PUBLIC, e.getMessage() + "; nothing was sent", e);
    }

    /// What looks through mail here: by rules that are read once, for words as they are now.
    public Redactor redactor() throws IOException {
        return new Redactor(usualRules(), privateWords());
    }

    /// As [#redactor()], by these rules instead of the user's usual ones; all mail of this caller
    /// is looked through by them from now on.
    ///
    /// @param file what the rules are called in messages
    public synchronized Redactor redactor(String file, String text) throws IOException {
        rules = rules(file, text);
        return redactor();
    }

    private synchronized Rules usualRules() throws IOException {
        Rules known = rules;
        if (known == null) {
            known = userRules();
            rules = known;
        }
        return known;
    }

    private Rules userRules() throws IOException {
        Optional<String> text = caller.folder().text(RULES_FILE, RULES_BYTES_MAX);
        return text.isEmpty()
                ? Rules.builtIn()
                : rules(caller.folder().path().resolve(RULES_FILE).toString(), text.get());
    }

    private static Rules rules(String file, String text) {
        try {
            return Rules.builtIn().with(file, text);
        } catch (MalformedRulesException e) {
            throw new ProblemException(Code.BAD_FILE, String.valueOf(e.getMessage()), e);
        }
    }

    private PrivateWords privateWords() throws IOException {
        List<String> users = new ArrayList<>();
        users.add(caller.user());
        Path home = caller.home().getFileName();
        if (home != null) {
            users.add(home.toString());
        }
        List<String> locked = new ArrayList<>();
        for (LockEntry entry : guard.entries()) {
            if (entry.kind() == LockKind.DNR && !entry.pattern().isEmpty()) {
                locked.add(entry.pattern());
            }
        }
        List<String> secrets = new ArrayList<>();
        for (OwnKey key : new OwnKeys(caller).all()) {
            secrets.add(HexFormat.of().formatHex(key.signer().secret()));
        }
        return new PrivateWords(users, locked, secrets);
    }

    /// Where something was found, in words: `body 3:7 email`; the first few.
    private static String places(PublicCopy copy) {
        final int shownMax = 5;
        List<String> places = new ArrayList<>();
        copy.findings()
                .forEach((field, findings) -> {
                    for (Finding finding : findings) {
                        places.add(
                                "%s %d:%d %s"
                                        .formatted(
                                                field,
                                                finding.line(),
                                                finding.column(),
                                                finding.kind()));
                    }
                });
        String shown = String.join(", ", places.subList(0, Math.min(shownMax, places.size())));
        return places.size() > shownMax
                ? shown + " and " + (places.size() - shownMax) + " more"
                : shown;
    }

    /// How often each kind was found.
    public static Json redactions(PublicCopy copy) {
        List<Json> kinds = new ArrayList<>();
        for (Map.Entry<String, Integer> kind : copy.counts().entrySet()) {
            kinds.add(Json.obj().put("kind", kind.getKey()).put("count", kind.getValue()));
        }
        return Json.arr(kinds);
    }

    /// Where each was found; never what.
    public static Json findings(PublicCopy copy) {
        List<Json> all = new ArrayList<>();
        copy.findings()
                .forEach((field, findings) -> {
                    for (Finding finding : findings) {
                        all.add(
                                Json.obj()
                                        .put("field", field)
                                        .put("line", finding.line())
                                        .put("column", finding.column())
                                        .put("kind", finding.kind()));
                    }
                });
        return Json.arr(all);
    }
}
