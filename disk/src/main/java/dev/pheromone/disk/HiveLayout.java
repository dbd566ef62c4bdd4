package dev.pheromone.disk;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Where everything of a hive lies, below its root.
///
/// @param root the folder that holds `.deia`, real and absolute
public record HiveLayout(Path root) {

    /// The name of the folder that makes its parent a hive root.
    public static final String HIVE_FOLDER = ".deia";

    public static final String MIRROR_FOLDER = ".embargo";

    /// The name of a file in the hive's folder that asks for every folder to be forced, whatever
    /// the file system is known to do.
    public static final String STRICT = "strict";

    /// Where the embargo keeps what the guard has written down of locks.
    public static final String LOCK_RECORDS = "locked";

    public static final String TELEMETRY = "telemetry";

    /// In the outbox, where every other folder is of a transport.
    public static final String PARKED_FOLDER = "muted";

    public static final String MAIL_SUFFIX = ".md";
    private static final String HISTORY_SUFFIX = ".jsonl";

    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ISO_LOCAL_DATE.withZone(ZoneOffset.UTC);

    /// The folder `.deia`, in which everything lies but the embargo.
    public Path hive() {
        return root.resolve(HIVE_FOLDER);
    }

    /// Where the hive is configured: `hive.yaml`.
    public Path configuration() {
        return hive().resolve("hive.yaml");
    }

    /// Where the trusted keys are: `trust.yaml`.
    public Path trust() {
        return hive().resolve("trust.yaml");
    }

    public Path telemetry() {
        return hive().resolve(TELEMETRY);
    }

    /// The event log.
    public Path log() {
        return telemetry().resolve("rse.jsonl");
    }

    /// What readers of the event log note about its parts. It may be deleted at any time.
    public Path logIndex() {
        return states().resolve(".log-index");
    }

    public Path embargo() {
        return root.resolve(MIRROR_FOLDER);
    }

    /// The event log while the hive's own can't be written.
    public Path mirrorLog() {
        return embargo().resolve(TELEMETRY).resolve("rse.jsonl");
    }

    /// Mail that waits for a lock to be lifted, a folder for each address.
    public Path mirrorInboxes() {
        return embargo().resolve("inbox");
    }

    /// Outcomes that wait for a lock to be lifted, a folder for each inbox.
    public Path mirrorOutcomes() {
        return embargo().resolve("outcome");
    }

    public Path mirrorArchive() {
        return embargo().resolve("archive");
    }

    public Path inboxes() {
        return hive().resolve("inbox");
    }

    /// The folder of the mail that waits for `domain`.
    public Path inbox(Domain domain) {
        return inboxes().resolve(domain.name());
    }

    /// Where the envelope `id` lies while it waits for `domain`.
    public Path mail(Domain domain, EnvelopeId id) {
        return inbox(domain).resolve(id + MAIL_SUFFIX);
    }

    /// Whether a file is named as we name mail.
    public static boolean hasIdAsName(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(MAIL_SUFFIX)
                && EnvelopeId.isId(name.substring(0, name.length() - MAIL_SUFFIX.length()));
    }

    /// Files being written; never read as mail.
    public Path drafts(Domain domain) {
        return inbox(domain).resolve(".tmp");
    }

    /// The folder of [#headers].
    public Path headersFolder(Domain domain) {
        return inbox(domain).resolve(".index");
    }

    /// What readers keep of the headers of an inbox. Inside the inbox, so that a lock on the mail
    /// covers the headers too, and one level down, so that keeping them leaves the folder's times.
    public Path headers(Domain domain) {
        return headersFolder(domain).resolve("headers");
    }

    public Path active(Domain domain) {
        return hive().resolve("active").resolve(domain.name());
    }

    /// One name for each envelope that is being worked on, so that its like can't be at the same
    /// time.
    public Path running(Domain domain) {
        return active(domain).resolve(".running");
    }

    /// Claims on their way back to the inbox.
    public Path returning(Domain domain) {
        return active(domain).resolve(".return");
    }

    public Path histories(Domain domain) {
        return hive().resolve("status").resolve(domain.name());
    }

    public Path history(Domain domain, String name) {
        return histories(domain).resolve(name + HISTORY_SUFFIX);
    }

    /// What the history in `file` is about.
    public static String historyName(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(HISTORY_SUFFIX)
                ? name.substring(0, name.length() - HISTORY_SUFFIX.length())
                : name;
    }

    /// The folder name of a day.
    public static String day(Instant time) {
        return DAY.format(time);
    }

    public Path archives() {
        return hive().resolve("archive");
    }

    public Path archive(Domain domain) {
        return archives().resolve(domain.name());
    }

    public Path archive(Domain domain, State state, Instant day) {
        return archive(domain).resolve(state.toString()).resolve(day(day));
    }

    public Path seen(Domain domain) {
        return hive().resolve("seen").resolve(domain.name());
    }

    public Path state(Domain domain) {
        return hive().resolve("state").resolve(domain.name());
    }

    /// What each sender put into an inbox lately, a file for each.
    public Path senders(Domain domain) {
        return state(domain).resolve("senders");
    }

    /// Which senders an inbox refuses for their own doing, a file for each.
    public Path refused(Domain domain) {
        return state(domain).resolve("refused");
    }

    /// Who is muted, a file for each.
    public Path mutes() {
        return hive().resolve("mute");
    }

    /// Mail that can't go yet: a folder for each transport, and one for senders that are muted.
    public Path outboxes() {
        return hive().resolve("outbox");
    }

    public Path outbox(String transport) {
        return outboxes().resolve(transport);
    }

    /// Claims of mail on other transports, a folder for each.
    public Path heldElsewhere(String transport) {
        return hive().resolve("state").resolve(".via").resolve(transport);
    }

    /// What bridges are about, and where inboxes are at home that a bridge made.
    public Path bridges() {
        return hive().resolve("state").resolve(".bridges");
    }

    /// The mail of senders that are muted, a folder for each.
    public Path parked() {
        return outbox(PARKED_FOLDER);
    }

    public Path parked(Actor sender, Domain domain) {
        return parked().resolve(fileNameOf(sender)).resolve(domain.name());
    }

    /// An actor's name as an address has it, and so as a file's.
    public static String fileNameOf(Actor actor) {
        StringBuilder name = new StringBuilder(actor.name().toLowerCase(Locale.ROOT));
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '.') {
                name.setCharAt(i, '-');
            }
        }
        return name.toString();
    }

    /// Lock files of the processes that hold attended claims.
    public Path attendants() {
        return hive().resolve("state").resolve(".attendants");
    }

    /// Where the small shared counters and locks lie, a folder for each inbox and files for all.
    public Path states() {
        return hive().resolve("state");
    }

    /// Since when the clock is doubted; missing while it is not.
    public Path clockDoubt() {
        return states().resolve(".clock-doubt");
    }

    public Path recoveryLock() {
        return hive().resolve("state").resolve(".recovery.lock");
    }

    /// What the resident process of one account has locked.
    ///
    /// @param account the number of the account
    public Path residentLock(int account) {
        return states().resolve(".resident-" + account);
    }

    /// `path` as people and events name it: relative to the root, with slashes.
    public String nameOf(Path path) {
        // By their texts: for a full inbox, paths take as long as everything else about it.
        String text = path.toString();
        String above = root.toString();
        String separator = root.getFileSystem().getSeparator();
        boolean isBelow = text.startsWith(above) && text.startsWith(separator, above.length());
        String name = isBelow ? text.substring(above.length() + separator.length()) : text;
        return name.replace('\\', '/');
    }
}
