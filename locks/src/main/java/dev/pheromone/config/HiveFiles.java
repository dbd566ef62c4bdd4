package dev.pheromone.config;

import dev.pheromone.HiveConfig;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Tags;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The two files that people write for a hive: its configuration and its trusted keys. Both are
/// optional.
public final class HiveFiles {

    private static final String DRAFT_PREFIX = ".trust-";
    private static final int TAG_LENGTH = 8;

    private final Disk files;
    private final HiveLayout layout;

    public HiveFiles(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    public HiveConfig config() throws IOException, MalformedYamlException {
        byte[] bytes = readIfThere(layout.configuration());
        try {
            return bytes.length == 0 ? HiveConfig.defaults() : HiveYaml.parse(bytes);
        } catch (MalformedYamlException e) {
            throw e.in(layout.nameOf(layout.configuration()));
        }
    }

    public TrustList trust() throws IOException, MalformedYamlException {
        return trust(Secrets.none());
    }

    /// The trusted keys, each shared secret among them with its bytes if `secrets` has them.
    public TrustList trust(Secrets secrets) throws IOException, MalformedYamlException {
        byte[] bytes = readIfThere(layout.trust());
        try {
            TrustList trust = bytes.length == 0 ? TrustList.empty() : TrustYaml.parse(bytes);
            for (Key key : trust.keys()) {
                if (key.material() == null) {
                    Optional<KeyBytes> secret = secrets.find(key.kid());
                    trust = secret.isEmpty() ? trust : trust.with(key.withMaterial(secret.get()));
                }
            }
            return trust;
        } catch (MalformedYamlException e) {
            throw e.in(layout.nameOf(layout.trust()));
        }
    }

    /// Trusts `key` as it is now, in the place of an earlier one of its name. Readers see the old
    /// list or the new one.
    public void trust(Key key) throws IOException, MalformedYamlException {
        replace(old ->
                old.length == 0
                        ? TrustYaml.write(TrustList.empty().with(key))
                        : TrustYaml.with(old, key));
    }

    /// As [#trust(Key)], for a passkey.
    public void trust(Passkey passkey) throws IOException, MalformedYamlException {
        replace(old ->
                old.length == 0
                        ? TrustYaml.write(TrustList.empty().with(passkey))
                        : TrustYaml.with(old, passkey));
    }

    /// What becomes of the file.
    private interface Edit {
        byte[] of(byte[] old) throws MalformedYamlException;
    }

    private void replace(Edit edit) throws IOException, MalformedYamlException {
        byte[] changed;
        try {
            changed = edit.of(readIfThere(layout.trust()));
        } catch (MalformedYamlException e) {
            throw e.in(layout.nameOf(layout.trust()));
        }
        Path draft = layout.hive().resolve(DRAFT_PREFIX + Tags.random(TAG_LENGTH));
        files.create(draft, changed);
        files.rename(draft, layout.trust());
        files.sync(layout.hive());
    }

    private byte[] readIfThere(Path file) throws IOException {
        return RegularFile.read(files, file, YamlText.BYTES_MAX).orElse(new byte[0]);
    }
}
