package dev.pheromone.lock;

import dev.pheromone.address.Actor;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.YamlFields;
import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;
import dev.pheromone.text.IsoTime;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The permissions to write in spite of a lock: files `ALLOW-WRITE-*` in the folder `overrides`,
/// each for one target, one content and a time, and signed by a person's key once the hive trusts
/// one.
///
/// Whatever is missing, malformed or not proven in one makes it none.
final class Overrides {

    static final String PREFIX = "ALLOW-WRITE-";

    private static final String FOLDER = "overrides";
    private static final int FILES_MAX = 1000;
    private static final int BYTES_MAX = 8 * 1024;

    private static final String KID = "kid";
    private static final String SIG = "sig";
    private static final String SIG_LINE = SIG + ":";

    private final Disk disk;
    private final HiveLayout layout;
    private final PathForms forms;

    /// What one says, and who vouches for it.
    ///
    /// @param text all of it but the signature's line, which is what is signed
    private record Written(
            Leave leave, @Nullable KeyId kid, @Nullable Signature signature, String text) {}

    Overrides(Disk disk, HiveLayout layout, PathForms forms) {
        this.disk = disk;
        this.layout = layout;
        this.forms = forms;
    }

    static Path folder(HiveLayout layout) {
        return layout.hive().resolve(FOLDER);
    }

    /// The text of the file that says `leave`.
    static String text(Leave leave, @Nullable Signer signer) {
        if (signer == null) {
            return leave.yaml();
        }
        String text = leave.yaml() + KID + ": " + YamlText.quoted(signer.kid().name()) + "\n";
        Signature signature =
                signer.sign(Signature.Purpose.OVERRIDE, text.getBytes(StandardCharsets.UTF_8));
        return text + SIG_LINE + " " + signature + "\n";
    }

    /// The one that lets `content` be written to `path` now, against `lock`.
    ///
    /// @param pass the work that asks
    Optional<Permission> find(Path path, ContentHash content, Instant now, Lock lock, Pass pass) {
        for (GivenLeave given : all(now, pass)) {
            Leave leave = given.leave();
            if (leave != null
                    && given.problem().isEmpty()
                    && leave.hash().equals(content)
                    && isTarget(leave.target(), path)) {
                return Optional.of(
                        new Permission(
                                lock,
                                given.file(),
                                leave.requestor(),
                                leave.source(),
                                given.proof()));
            }
        }
        return Optional.empty();
    }

    /// Why none of those that may be meant for `path` lets `content` be written there, with the
    /// name of one; empty if there is none.
    String unusable(Path path, ContentHash content, Instant now, Pass pass) {
        String last = "";
        for (GivenLeave given : all(now, pass)) {
            Leave leave = given.leave();
            if (leave != null && !isTarget(leave.target(), path)) {
                continue;
            }
            String why =
                    given.problem().isEmpty() && leave != null && !leave.hash().equals(content)
                            ? given.file() + " is for another content, " + leave.hash()
                            : given.file() + " counts for nothing: " + given.problem();
            if (leave != null && !given.isOver()) {
                return why;
            }
            last = why;
        }
        return last;
    }

    /// All of them.
    List<GivenLeave> all(Instant now, Pass pass) {
        Path folder = folder(layout);
        List<GivenLeave> all = new ArrayList<>();
        try {
            Optional<Stat> stat = disk.stat(folder);
            if (stat.isEmpty()) {
                return all;
            }
            Optional<List<Path>> files =
                    stat.get().isFolder() ? disk.listIfFew(folder, FILES_MAX) : Optional.empty();
            if (files.isEmpty()) {
                all.add(
                        GivenLeave.unclear(
                                layout.nameOf(folder),
                                "expected a folder of at most %d files".formatted(FILES_MAX)));
                return all;
            }
            TrustList trust = null;
            for (Path file : files.get().stream().sorted().toList()) {
                if (String.valueOf(file.getFileName()).startsWith(PREFIX)) {
                    trust = trust == null ? trust(pass) : trust;
                    all.add(judge(file, now, trust));
                }
            }
        } catch (IOException e) {
            all.clear();
            all.add(GivenLeave.unclear(layout.nameOf(folder), Trouble.reason(e)));
        }
        return all;
    }

    /// The keys that count; null if that can't be found out.
    private @Nullable TrustList trust(Pass pass) {
        try {
            return new KeptTrust(disk, layout, () -> lent(pass)).read().orElse(null);
        } catch (IOException | MalformedYamlException e) {
            return null;
        }
    }

    /// The same pass, for somebody who does not end it.
    private static Pass lent(Pass pass) {
        return new Pass() {
            @Override
            public Verdict check(Path path, Access access) {
                return pass.check(path, access);
            }

            @Override
            public void close() {}
        };
    }

    private GivenLeave judge(Path file, Instant now, @Nullable TrustList trust) {
        String name = layout.nameOf(file);
        Written written;
        try {
            Optional<byte[]> bytes = RegularFile.read(disk, file, BYTES_MAX);
            written = parse(bytes.orElse(new byte[0]));
        } catch (IOException e) {
            return GivenLeave.unclear(name, Trouble.reason(e));
        } catch (MalformedYamlException e) {
            return GivenLeave.unclear(name, String.valueOf(e.getMessage()));
        }
        Leave leave = written.leave();
        String problem = unproven(written, now, trust);
        boolean isOver = problem.isEmpty() && !now.isBefore(leave.ends());
        if (isOver) {
            problem = "it was over at " + IsoTime.format(leave.ends());
        } else if (problem.isEmpty() && now.isBefore(leave.ts())) {
            problem = "it begins at " + IsoTime.format(leave.ts());
        }
        String proof =
                written.kid() == null || !problem.isEmpty()
                        ? GivenLeave.UNPROVEN
                        : "key " + written.kid();
        return new GivenLeave(name, leave, proof, problem, isOver);
    }

    private static Written parse(byte[] bytes) throws MalformedYamlException {
        String[] known =
                Stream.concat(Arrays.stream(Leave.KEYS), Stream.of(KID, SIG))
                        .toArray(String[]::new);
        YamlFields fields = YamlFields.ofRoot(YamlText.parse(bytes)).only(known);
        Leave leave = Leave.of(fields);
        KeyId kid = fields.optional(KID, KeyId::parse);
        Signature signature = fields.optional(SIG, Signature::parse);
        if ((kid == null) != (signature == null)) {
            throw new MalformedYamlException(
                    fields.line(), "found one of kid and sig, expected both or none");
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return new Written(
                leave, kid, signature, signature == null ? text : unsigned(text, signature));
    }

    /// `text` without the signature's line, which says nothing else: what is on it is not signed.
    private static String unsigned(String text, Signature signature) throws MalformedYamlException {
        String line = SIG_LINE + " " + signature + "\n";
        int at = text.indexOf(line);
        if (at < 0 || (at > 0 && text.charAt(at - 1) != '\n') || text.indexOf(line, at + 1) > 0) {
            throw new MalformedYamlException(
                    1, "sig: found no line of its own, expected one and nothing else on it");
        }
        return text.substring(0, at) + text.substring(at + line.length());
    }

    /// What is missing for a person to stand behind it; empty if one does, or nobody's key is
    /// known.
    private static String unproven(Written written, Instant now, @Nullable TrustList trust) {
        KeyId kid = written.kid();
        Signature signature = written.signature();
        if (trust == null) {
            return "whether a person's signature is needed can't be found out";
        }
        if (kid == null || signature == null) {
            return trust.hasHumanKey(now)
                    ? "found no signature, expected that of a person's key"
                    : "";
        }
        Key key = trust.find(kid).orElse(null);
        if (key == null || !key.human()) {
            return "key " + kid + " is not a person's that this hive trusts";
        }
        if (!key.isLive(now)) {
            return "key " + kid + " is revoked or expired";
        }
        if (!belongs(key, written.leave().source())) {
            return "key " + kid + " does not belong to " + written.leave().source();
        }
        return key.verifies(
                        Signature.Purpose.OVERRIDE,
                        written.text().getBytes(StandardCharsets.UTF_8),
                        signature)
                ? ""
                : "the signature is not key " + kid + "'s for these bytes";
    }

    private static boolean belongs(Key key, String source) {
        return key.actors().stream().map(Actor::name).anyMatch(source::equals);
    }

    /// Whether `path` is the file that `target` names, and is nothing else as well: a link, or the
    /// same file of another work tree, is not what somebody has permitted.
    private boolean isTarget(String target, Path path) {
        try {
            Path absolute = path.toAbsolutePath().normalize();
            Set<List<String>> names = forms.of(path);
            return absolute.startsWith(layout.root())
                    && names.size() == 1
                    && !names.contains(List.<String>of())
                    && names.equals(forms.of(layout.root().resolve(target)));
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
