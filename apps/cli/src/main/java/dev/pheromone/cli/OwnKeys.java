package dev.pheromone.cli;

import dev.pheromone.Actor;
import dev.pheromone.KeyBytes;
import dev.pheromone.KeyId;
import dev.pheromone.Signature;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The user's own keys: files in the user's configuration folder, outside of any repository.
final class OwnKeys {

    private static final String SUFFIX = ".key";

    private final UserFiles files;
    private final Consumer<String> problems;

    /// The keys of whoever types `call`; a file that is none is told as a warning.
    OwnKeys(Invocation call) {
        this.files = call.userFiles();
        this.problems = call::warn;
    }

    private Path folder() {
        return files.configFolder().resolve("keys");
    }

    private Path file(KeyId kid) {
        return folder().resolve(kid + SUFFIX);
    }

    /// The key of this name, or null.
    @Nullable OwnKey find(KeyId kid) throws IOException {
        Path file = file(kid);
        return files.list(folder()).contains(file) ? read(file) : null;
    }

    /// All that can be read: one bad file does not take the others away.
    List<OwnKey> all() throws IOException {
        List<OwnKey> keys = new ArrayList<>();
        for (Path file : files.list(folder())) {
            if (file.toString().endsWith(SUFFIX)) {
                readIfGood(file).ifPresent(keys::add);
            }
        }
        return keys;
    }

    List<OwnKey> of(Actor actor) throws IOException {
        List<OwnKey> keys = new ArrayList<>();
        for (OwnKey key : all()) {
            if (key.actor().equals(actor)) {
                keys.add(key);
            }
        }
        return keys;
    }

    /// The secret of a key that is shared, if it is among these.
    Optional<KeyBytes> sharedSecret(KeyId kid) throws IOException {
        Path file = file(kid);
        OwnKey key = files.list(folder()).contains(file) ? readIfGood(file).orElse(null) : null;
        return key == null || key.signer().algorithm() != Signature.Algorithm.HMAC
                ? Optional.empty()
                : Optional.of(KeyBytes.of(key.signer().secret()));
    }

    /// Stores a new key, and returns where.
    Path add(OwnKey key) throws IOException {
        Path file = file(key.signer().kid());
        try {
            files.writeSecret(file, key.toBytes());
        } catch (FileAlreadyExistsException e) {
            throw new CliException(
                            ErrorCode.CONFLICT,
                            "key " + key.signer().kid() + " exists already: " + file,
                            e)
                    .hint("choose another name");
        }
        return file;
    }

    private Optional<OwnKey> readIfGood(Path file) {
        try {
            return Optional.of(read(file));
        } catch (CliException e) {
            problems.accept(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            problems.accept("key file " + FileProblem.describe(e));
        }
        return Optional.empty();
    }

    private OwnKey read(Path file) throws IOException {
        return OwnKey.parse(files.readSecret(file), file.toString());
    }
}
