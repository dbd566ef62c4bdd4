package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the user's folder has of the passkeys of one hive: those that a browser registered and no
/// person has confirmed, which count for nothing, and how often each has signed.
public final class PasskeyFiles {

    /// Whoever pairs a browser can register one: so many wait for a person's word at most.
    public static final int WAITING_MAX = 8;

    private static final String NEW = ".passkey";
    private static final String COUNT = ".count";
    private static final int FILE_BYTES_MAX = 8_192;

    /// So much of a key's hash is in its name. People compare names before they trust a key, so
    /// nobody may find another key of the same name by trying.
    private static final int TAG_DIGITS = 16;

    private static final int ACTOR_CHARS_MAX = 44;

    private final UserFolder folder;
    private final String place;

    /// The passkeys of one hive.
    ///
    /// @param root of the hive
    public PasskeyFiles(UserFolder folder, Path root) {
        this.folder = folder;
        this.place = Pairings.place(root);
    }

    /// Which hive one at `root` is, for challenges.
    public static String hive(Path root) {
        return Pairings.hive(root);
    }

    /// A passkey that nobody has confirmed.
    public record Waiting(Passkey passkey, Instant since) {}

    /// What a new passkey of `actor` is called.
    public static KeyId name(Actor actor, KeyBytes publicKey) {
        String name = actor.name();
        return KeyId.parse(
                name.substring(0, Math.min(name.length(), ACTOR_CHARS_MAX))
                        + "-pk-"
                        + ContentHash.of(publicKey.copy()).hex().substring(0, TAG_DIGITS));
    }

    /// Those that nobody has confirmed, by name.
    public List<Waiting> waiting() throws IOException {
        List<Waiting> all = new ArrayList<>();
        for (Path file : folder.list(place)) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(NEW)) {
                String kid = name.substring(0, name.length() - NEW.length());
                waiting(kid).ifPresent(all::add);
            }
        }
        return all;
    }

    /// The unconfirmed one of this name.
    public Optional<Waiting> waiting(String kid) throws IOException {
        String text = folder.text(place + "/" + kid + NEW, FILE_BYTES_MAX).orElse(null);
        if (text == null) {
            return Optional.empty();
        }
        try {
            if (!(Json.parse(text) instanceof Json.Obj json)) {
                return Optional.empty();
            }
            Actor actor = Actor.parse(json.text("actor"));
            KeyBytes publicKey = KeyBytes.parseHex(json.text("public"));
            Passkey passkey =
                    new Passkey(
                            name(actor, publicKey),
                            KeyBytes.parseHex(json.text("credential")),
                            publicKey,
                            actor,
                            json.get("synced").filter(Json.of(true)::equals).isPresent(),
                            null);
            return passkey.kid().name().equals(kid)
                    ? Optional.of(new Waiting(passkey, IsoTime.parse(json.text("since"))))
                    : Optional.empty();
        } catch (MalformedJsonException | IllegalArgumentException e) {
            // Somebody edited it: it counts for nothing anyway.
            return Optional.empty();
        }
    }

    /// Keeps a passkey until a person confirms it.
    public void add(Passkey passkey, Instant now) throws IOException {
        Json.Obj json =
                Json.obj()
                        .put("credential", passkey.credential().toHex())
                        .put("public", passkey.publicKey().toHex())
                        .put("actor", passkey.actor().name())
                        .put("synced", passkey.synced())
                        .put("since", IsoTime.format(now));
        write(passkey.kid().name() + NEW, json.toString());
    }

    /// Forgets an unconfirmed one, and says whether there was one.
    public boolean remove(KeyId kid) throws IOException {
        return UserFolder.remove(path(kid.name() + NEW));
    }

    /// How often a passkey had signed when it was seen last.
    public long count(KeyId kid) throws IOException {
        try {
            return folder.text(place + "/" + kid + COUNT, FILE_BYTES_MAX)
                    .map(text -> Long.valueOf(text.strip()))
                    .orElse(0L);
        } catch (NumberFormatException e) {
            throw new ProblemException(
                    ProblemException.Code.BAD_FILE,
                    path(kid + COUNT)
                            + ": found no number, expected how often "
                            + kid
                            + " has signed",
                    e);
        }
    }

    public void keepCount(KeyId kid, long count) throws IOException {
        write(kid + COUNT, String.valueOf(count));
    }

    private void write(String name, String text) throws IOException {
        Path file = path(name);
        boolean _ = UserFolder.remove(file);
        UserFolder.writeSecret(file, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private Path path(String name) {
        return folder.path().resolve(place).resolve(name);
    }
}
