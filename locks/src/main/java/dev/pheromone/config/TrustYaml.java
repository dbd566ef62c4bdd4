package dev.pheromone.config;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature.Algorithm;
import dev.pheromone.text.IsoTime;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Reads and writes `trust.yaml`: which keys a hive trusts, and whose they are.
///
/// ```yaml
/// format: 1
/// keys:
///   - kid: laptop-1
///     algorithm: ed25519
///     public: <64 hex>
///     actors: [ada]
///     human: true
/// ```
///
/// Passkeys of people are in a list of their own, `passkeys`, and the format is 2 then: a reader
/// that does not know them must not take the word of whoever has none.
///
/// Shared secrets are never in it: an HMAC key has its name and owners here, and its bytes
/// elsewhere.
public final class TrustYaml {

    private static final int FORMAT = 1;
    private static final int FORMAT_WITH_PASSKEYS = 2;

    private static final Pattern FORMAT_LINE = Pattern.compile("(?m)^format: 1$");

    private TrustYaml() {}

    /// The keys that `bytes` list.
    public static TrustList parse(byte[] bytes) throws MalformedYamlException {
        YamlFields root = YamlFields.ofRoot(YamlText.parse(bytes));
        FormatNumber.check(root, FORMAT_WITH_PASSKEYS);
        root.only("format", "keys", "passkeys");
        Set<KeyId> names = new HashSet<>();
        List<Key> keys = new ArrayList<>();
        for (YamlFields fields : root.maps("keys")) {
            Key key =
                    key(
                            fields.only(
                                    "kid",
                                    "algorithm",
                                    "public",
                                    "actors",
                                    "human",
                                    "expires",
                                    "revoked"));
            checkNew(names, key.kid(), fields);
            keys.add(key);
        }
        List<Passkey> passkeys = new ArrayList<>();
        for (YamlFields fields : root.maps("passkeys")) {
            Passkey passkey =
                    passkey(
                            fields.only(
                                    "kid", "credential", "public", "actor", "synced", "revoked"));
            checkNew(names, passkey.kid(), fields);
            passkeys.add(passkey);
        }
        return new TrustList(keys, passkeys);
    }

    private static void checkNew(Set<KeyId> names, KeyId kid, YamlFields fields)
            throws MalformedYamlException {
        if (!names.add(kid)) {
            throw new MalformedYamlException(
                    fields.line(), "keys: found key " + kid + " a second time, expected once");
        }
    }

    private static Passkey passkey(YamlFields fields) throws MalformedYamlException {
        KeyId kid = fields.required("kid", KeyId::parse);
        KeyBytes credential = fields.required("credential", KeyBytes::parseHex);
        KeyBytes publicKey = fields.required("public", KeyBytes::parseHex);
        Actor actor = fields.required("actor", Actor::parse);
        boolean synced = fields.truth("synced", false);
        @Nullable Instant revoked = fields.optional("revoked", IsoTime::parse);
        try {
            return new Passkey(kid, credential, publicKey, actor, synced, revoked);
        } catch (IllegalArgumentException e) {
            throw new MalformedYamlException(fields.line(), String.valueOf(e.getMessage()));
        }
    }

    private static Key key(YamlFields fields) throws MalformedYamlException {
        KeyId kid = fields.required("kid", KeyId::parse);
        Algorithm algorithm = fields.required("algorithm", Algorithm::parse);
        if (algorithm == Algorithm.HMAC && fields.has("public")) {
            throw new MalformedYamlException(
                    fields.line(),
                    "keys: found public for hmac key "
                            + kid
                            + ", expected none: a secret stays secret");
        }
        @Nullable KeyBytes material = fields.optional("public", KeyBytes::parseHex);
        List<Actor> actors = fields.values("actors", Actor::parse);
        boolean human = fields.truth("human", false);
        @Nullable Instant expires = fields.optional("expires", IsoTime::parse);
        @Nullable Instant revoked = fields.optional("revoked", IsoTime::parse);
        try {
            return new Key(kid, algorithm, material, actors, human, expires, revoked);
        } catch (IllegalArgumentException e) {
            throw new MalformedYamlException(fields.line(), String.valueOf(e.getMessage()));
        }
    }

    /// The file `yaml` with `key` in it, in the place of an earlier one of that name.
    ///
    /// A new key is added at the end and a revocation below the key's name, and all else stays as
    /// somebody wrote it. Where that is not possible, the file is written anew, without its
    /// comments.
    public static byte[] with(byte[] yaml, Key key) throws MalformedYamlException {
        StringBuilder entry = new StringBuilder();
        write(key, entry);
        String whole = whole(yaml);
        List<String> edits = edits(whole, key.kid(), key.revoked());
        edits.add(whole + entry);
        edits.add(whole + "keys:\n" + entry);
        return firstOf(edits, parse(write(parse(yaml).with(key))));
    }

    /// As [#with(byte[], Key)], for a passkey.
    public static byte[] with(byte[] yaml, Passkey passkey) throws MalformedYamlException {
        StringBuilder entry = new StringBuilder();
        write(passkey, entry);
        String whole = FORMAT_LINE.matcher(whole(yaml)).replaceFirst("format: 2");
        List<String> edits = edits(whole, passkey.kid(), passkey.revoked());
        edits.add(whole + entry);
        edits.add(whole + "passkeys:\n" + entry);
        return firstOf(edits, parse(write(parse(yaml).with(passkey))));
    }

    private static String whole(byte[] yaml) {
        String text = new String(yaml, StandardCharsets.UTF_8);
        return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
    }

    /// The first that is read as `expected`; else that list without the comments.
    private static byte[] firstOf(List<String> edits, TrustList expected) {
        for (String edited : edits) {
            byte[] bytes = edited.getBytes(StandardCharsets.UTF_8);
            if (means(bytes, expected)) {
                return bytes;
            }
        }
        return write(expected);
    }

    /// Guesses at where to add a revocation; only one that is read as the right list is taken.
    private static List<String> edits(String whole, KeyId kid, @Nullable Instant revoked) {
        List<String> edits = new ArrayList<>();
        for (int at = whole.indexOf("kid:");
                revoked != null && at >= 0;
                at = whole.indexOf("kid:", at + 1)) {
            int lineStart = whole.lastIndexOf('\n', at) + 1;
            int lineEnd = whole.indexOf('\n', at) + 1;
            String line =
                    " ".repeat(at - lineStart)
                            + "revoked: "
                            + quoted(IsoTime.format(revoked))
                            + "\n";
            if (whole.substring(at, lineEnd).contains(kid.name())) {
                edits.add(whole.substring(0, lineEnd) + line + whole.substring(lineEnd));
            }
        }
        return edits;
    }

    private static boolean means(byte[] yaml, TrustList expected) {
        try {
            return parse(yaml).equals(expected);
        } catch (MalformedYamlException e) {
            return false;
        }
    }

    /// The whole file, the same for equal lists; comments of an earlier one are not in it.
    public static byte[] write(TrustList list) {
        boolean hasPasskeys = !list.passkeys().isEmpty();
        StringBuilder yaml =
                new StringBuilder(
                        "format: " + (hasPasskeys ? FORMAT_WITH_PASSKEYS : FORMAT) + "\nkeys:");
        yaml.append(list.keys().isEmpty() ? " []\n" : "\n");
        for (Key key : list.keys()) {
            write(key, yaml);
        }
        if (hasPasskeys) {
            yaml.append("passkeys:\n");
            list.passkeys().forEach(passkey -> write(passkey, yaml));
        }
        return yaml.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(Key key, StringBuilder yaml) {
        yaml.append("  - kid: ").append(quoted(key.kid().name())).append('\n');
        line(yaml, "algorithm", key.algorithm().toString());
        KeyBytes material = key.material();
        if (material != null && key.algorithm() == Algorithm.ED25519) {
            line(yaml, "public", quoted(material.toHex()));
        }
        line(
                yaml,
                "actors",
                key.actors().stream()
                        .map(actor -> quoted(actor.name()))
                        .collect(Collectors.joining(", ", "[", "]")));
        if (key.human()) {
            line(yaml, "human", "true");
        }
        time(yaml, "expires", key.expires());
        time(yaml, "revoked", key.revoked());
    }

    private static void write(Passkey passkey, StringBuilder yaml) {
        yaml.append("  - kid: ").append(quoted(passkey.kid().name())).append('\n');
        line(yaml, "credential", quoted(passkey.credential().toHex()));
        line(yaml, "public", quoted(passkey.publicKey().toHex()));
        line(yaml, "actor", quoted(passkey.actor().name()));
        if (passkey.synced()) {
            line(yaml, "synced", "true");
        }
        time(yaml, "revoked", passkey.revoked());
    }

    private static void time(StringBuilder yaml, String key, @Nullable Instant time) {
        if (time != null) {
            line(yaml, key, quoted(IsoTime.format(time)));
        }
    }

    private static void line(StringBuilder yaml, String key, String value) {
        yaml.append("    ").append(key).append(": ").append(value).append('\n');
    }

    /// Names and digits may look like numbers or times to a reader that guesses types.
    private static String quoted(String text) {
        return '"' + text + '"';
    }
}
