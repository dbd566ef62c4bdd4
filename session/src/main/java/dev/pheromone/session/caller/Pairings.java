package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.IsoTime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;

/// Which browsers may use the board of one hive, and in whose name: files in the user's folder that
/// nobody else can read. A browser shows a code once, and has a secret from then on. Of both only
/// hashes are kept, as names of files; who removes such a file takes the code or secret back.
public final class Pairings {

    /// How long a code waits for its browser.
    public static final Duration CODE_TIME = Duration.ofMinutes(2);

    /// A browser that did not come for so long has to be paired again.
    public static final Duration UNUSED_MAX = Duration.ofDays(30);

    private static final String FOLDER = "boards";
    private static final String CODE = ".code";
    private static final String SECRET = ".secret";
    private static final String PORT = "port";

    /// So many digits of a hash tell the hives of one user apart.
    private static final int HIVE_DIGITS = 16;

    private static final int PORT_DIGITS_MAX = 16;

    /// How exactly the last use of a secret is known.
    private static final Duration TOUCH_EVERY = Duration.ofHours(1);

    private final UserFolder folder;
    private final String place;
    private final InstantSource clock;

    /// The pairings of one hive.
    ///
    /// @param root of the hive
    public Pairings(UserFolder folder, Path root, InstantSource clock) {
        this.folder = folder;
        this.place = place(root);
        this.clock = clock;
    }

    /// The folder of the board of the hive at `root`.
    static String place(Path root) {
        return FOLDER + "/" + hive(root);
    }

    /// What tells the hive at `root` from others of this user.
    static String hive(Path root) {
        return hash(root.toString()).substring(0, HIVE_DIGITS);
    }

    /// A browser that was paired a moment ago.
    ///
    /// @param secret shown by it from now on
    public record Paired(String secret, Actor actor) {}

    /// A new code, with which one browser may speak for `actor`.
    public String newCode(Actor actor) throws IOException {
        removeOld();
        String code = ActorTokens.newToken();
        write(code, CODE, actor);
        return code;
    }

    /// The pairing that `code` is good for; empty for a wrong, late or used one.
    public Optional<Paired> pair(String code) throws IOException {
        Path file = file(code, CODE);
        Optional<Actor> actor = actor(file, CODE_TIME);
        if (actor.isEmpty() || !UserFolder.remove(file)) {
            return Optional.empty();
        }
        String secret = ActorTokens.newToken();
        write(secret, SECRET, actor.get());
        return Optional.of(new Paired(secret, actor.get()));
    }

    /// For whom the browser with this secret speaks; empty for nobody's.
    public Optional<Actor> actor(String secret) {
        try {
            Path file = file(secret, SECRET);
            Optional<Actor> actor = actor(file, UNUSED_MAX);
            Instant now = clock.instant();
            if (actor.isPresent() && UserFolder.touched(file).isBefore(now.minus(TOUCH_EVERY))) {
                UserFolder.touch(file, now);
            }
            return actor;
        } catch (IOException e) {
            // What can't be read lets nobody in.
            return Optional.empty();
        }
    }

    /// Forgets a secret.
    public void unpair(String secret) throws IOException {
        boolean _ = UserFolder.remove(file(secret, SECRET));
    }

    /// Forgets all secrets and codes, and says how many secrets there were.
    public int forget() throws IOException {
        int secrets = 0;
        for (Path file : folder.list(place)) {
            String name = String.valueOf(file.getFileName());
            boolean isSecret = name.endsWith(SECRET);
            if ((isSecret || name.endsWith(CODE)) && UserFolder.remove(file) && isSecret) {
                secrets++;
            }
        }
        return secrets;
    }

    /// The port at which the board was served last: a browser keeps its secret for that address.
    public Optional<Integer> port() throws IOException {
        try {
            return folder.text(place + "/" + PORT, PORT_DIGITS_MAX)
                    .map(text -> Integer.valueOf(text.strip()));
        } catch (NumberFormatException | ProblemException e) {
            return Optional.empty();
        }
    }

    public void keepPort(int port) throws IOException {
        if (port().equals(Optional.of(port))) {
            return;
        }
        boolean _ = UserFolder.remove(path(PORT));
        UserFolder.writeSecret(path(PORT), (port + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /// A file beside the pairings that nobody else can read, in the place of an earlier one.
    public Path page(String name, String text) throws IOException {
        Path file = path(name);
        boolean _ = UserFolder.remove(file);
        UserFolder.writeSecret(file, text.getBytes(StandardCharsets.UTF_8));
        return file;
    }

    private void write(String secret, String ending, Actor actor) throws IOException {
        Instant now = clock.instant();
        String text = actor.name() + "\n" + IsoTime.format(now) + "\n";
        Path file = file(secret, ending);
        UserFolder.writeSecret(file, text.getBytes(StandardCharsets.UTF_8));
        UserFolder.touch(file, now);
    }

    /// The actor that a file names, if it was used within `time`.
    private Optional<Actor> actor(Path file, Duration time) throws IOException {
        try {
            String text = new String(UserFolder.readSecret(file), StandardCharsets.UTF_8);
            return isOld(file, time)
                    ? Optional.empty()
                    : text.lines().findFirst().map(Actor::parse);
        } catch (NoSuchFileException | ProblemException | IllegalArgumentException e) {
            // Wrong, taken back, or open to others, who could have written it.
            return Optional.empty();
        }
    }

    private boolean isOld(Path file, Duration time) throws IOException {
        return UserFolder.touched(file).plus(time).isBefore(clock.instant());
    }

    private void removeOld() throws IOException {
        for (Path file : folder.list(place)) {
            String name = String.valueOf(file.getFileName());
            if ((name.endsWith(CODE) && isOld(file, CODE_TIME))
                    || (name.endsWith(SECRET) && isOld(file, UNUSED_MAX))) {
                boolean _ = UserFolder.remove(file);
            }
        }
    }

    private Path file(String secret, String ending) {
        return path(hash(secret) + ending);
    }

    private Path path(String name) {
        return folder.path().resolve(place).resolve(name);
    }

    private static String hash(String text) {
        return ContentHash.of(text.getBytes(StandardCharsets.UTF_8)).hex().toLowerCase(Locale.ROOT);
    }
}
