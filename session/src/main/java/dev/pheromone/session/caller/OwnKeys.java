package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.trust.KeyBytes;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The user's own keys: files in the user's configuration folder, outside of any repository.
public final class OwnKeys {

    private static final String SUFFIX = ".key";

    private static final String FOLDER = "keys";

    private final UserFolder files;
    private final Consumer<String> problems;

    /// The caller's keys; a file that is none is told as a warning.
    public OwnKeys(Caller caller) {
        this.files = caller.folder();
        this.problems = caller::warn;
    }

    private Path file(KeyId kid) {
        return files.path().resolve(FOLDER).resolve(kid + SUFFIX);
    }

    /// The key of this name, or null.
    public @Nullable OwnKey find(KeyId kid) throws IOException {
        Path file = file(kid);
        return files.list(FOLDER).contains(file) ? read(file) : null;
    }

    /// All that can be read: one bad file does not take the others away.
    public List<OwnKey> all() throws IOException {
        List<OwnKey> keys = new ArrayList<>();
        for (Path file : files.list(FOLDER)) {
            if (file.toString().endsWith(SUFFIX)) {
                readIfGood(file).ifPresent(keys::add);
            }
        }
        return keys;
    }

    public List<OwnKey> of(Actor actor) throws IOException {
        List<OwnKey> keys = new ArrayList<>();
        for (OwnKey key : all()) {
            if (key.actor().equals(actor)) {
                keys.add(key);
            }
        }
        return keys;
    }

    /// The secret of a key that is shared, if it is among these.
    public Optional<KeyBytes> sharedSecret(KeyId kid) throws IOException {
        Path file = file(kid);
        OwnKey key = files.list(FOLDER).contains(file) ? readIfGood(file).orElse(null) : null;
        return key == null || key.signer().algorithm() != Signature.Algorithm.HMAC
                ? Optional.empty()
                : Optional.of(KeyBytes.of(key.signer().secret()));
    }

    /// Stores a new key, and returns where.
    public Path add(OwnKey key) throws IOException {
        Path file = file(key.signer().kid());
        try {
            UserFolder.writeSecret(file, key.toBytes());
        } catch (FileAlreadyExistsException e) {
            throw new ProblemException(
                            Code.CONFLICT,
                            "key " + key.signer().kid() + " exists already: " + file,
                            e)
                    .hint("choose another name");
        }
        return file;
    }

    private Optional<OwnKey> readIfGood(Path file) {
        try {
            return Optional.of(read(file));
        } catch (ProblemException e) {
            problems.accept(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            problems.accept("key file " + FileProblem.describe(e));
        }
        return Optional.empty();
    }

    private OwnKey read(Path file) throws IOException {
        return OwnKey.parse(UserFolder.readSecret(file), file.toString());
    }
}
