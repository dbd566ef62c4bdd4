package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.session.caller.ProblemException.Code;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/// The tokens by which a server knows its clients as one actor each: files that nobody but the user
/// can read, in the user's folder. Who removes such a file takes the token back.
public final class ActorTokens {

    private static final String FOLDER = "actors";
    private static final String ENDING = ".token";
    private static final int BYTES = 32;

    /// Each is looked at for each request; who has more should take some back.
    private static final int COUNT_MAX = 200;

    private final UserFolder folder;

    public ActorTokens(UserFolder folder) {
        this.folder = folder;
    }

    /// A new token, as it is shown in a header.
    public static String newToken() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// The file with the token of `actor`, which is made if there is none.
    public Path file(Actor actor) throws IOException {
        String name = Identity.asName(actor.name(), "");
        if (!name.equals(actor.name())) {
            throw new ProblemException(
                    Code.USAGE,
                    "actor \""
                            + actor.name()
                            + "\": expected small letters, digits, - and _, as in codex-19be");
        }
        Path file = folder.path().resolve(FOLDER).resolve(name + ENDING);
        if (folder.list(FOLDER).size() >= COUNT_MAX && !folder.list(FOLDER).contains(file)) {
            throw new ProblemException(
                            Code.REFUSED, "there are " + COUNT_MAX + " tokens of actors already")
                    .hint("remove those that nobody uses from " + folder.path().resolve(FOLDER));
        }
        try {
            UserFolder.writeSecret(file, (newToken() + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (FileAlreadyExistsException e) {
            // The token that clients know already.
        }
        return file;
    }

    /// Whose token this is; empty for a token of nobody's.
    public Optional<Actor> holder(String token) {
        byte[] wanted = hash(token);
        Actor found = null;
        try {
            int looked = 0;
            for (Path file : folder.list(FOLDER)) {
                String name = String.valueOf(file.getFileName());
                if (!name.endsWith(ENDING) || looked++ >= COUNT_MAX) {
                    continue;
                }
                String known = known(file);
                // Hashes have one length, so that they are compared in constant time.
                if (!known.isEmpty() && MessageDigest.isEqual(hash(known), wanted)) {
                    found = Actor.parse(name.substring(0, name.length() - ENDING.length()));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            // What can't be read lets nobody in.
            return Optional.empty();
        }
        return Optional.ofNullable(found);
    }

    private static String known(Path file) throws IOException {
        try {
            return new String(UserFolder.readSecret(file), StandardCharsets.UTF_8).strip();
        } catch (NoSuchFileException | ProblemException e) {
            // Taken back a moment ago, or open to others, who could know the token.
            return "";
        }
    }

    private static byte[] hash(String token) {
        return ContentHash.sha256().digest(token.getBytes(StandardCharsets.UTF_8));
    }
}
