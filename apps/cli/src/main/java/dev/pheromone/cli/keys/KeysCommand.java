package dev.pheromone.cli.keys;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OptionalHive;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.file.log.KeyRecords;
import dev.pheromone.session.Passkeys;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.OwnKey;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.caller.PasskeyFiles;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Composer;
import dev.pheromone.session.mail.Signing;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.Json;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.Signer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/// `rsm keys`: makes, lists, trusts and revokes keys, and signs files with them.
public final class KeysCommand implements Command {

    private static final int SECRET_BYTES = 32;
    private static final int TAG_LENGTH = 4;

    @Override
    public Spec spec() {
        return Spec.of(
                        "keys",
                        Group.GOVERNANCE,
                        "makes, lists, trusts and revokes keys; signs files")
                .usage("rsm keys new [KID] [--hmac]")
                .usage("rsm keys list")
                .usage("rsm keys trust KID [--public HEX] [--owner ACTOR] [--human] [--by NAME]")
                .usage("rsm keys revoke KID [--by NAME]")
                .usage("rsm keys confirm [--by NAME]")
                .usage("rsm keys passkey")
                .usage("rsm keys sign FILE [--key KID]")
                .required(
                        "ACTION",
                        "what to do",
                        List.of("new", "list", "trust", "revoke", "confirm", "passkey", "sign"))
                .optional(
                        "KID|FILE",
                        "the key's name; for sign an envelope's file, - for standard input")
                .opt(Opt.flag("hmac", "new: a shared secret instead of a key pair"))
                .opt(
                        Opt.value(
                                "public",
                                "HEX",
                                "trust: the public key of somebody else, as rsm keys list shows it"
                                        + " there"))
                .opt(Opt.value("owner", "ACTOR", "trust: who may sign with it").repeated())
                .opt(Opt.flag("human", "trust: its owner is a person, whose word counts"))
                .opt(Opt.value("key", "KID", "sign: with this key; else with yours"))
                .opt(Opt.value("by", "NAME", "who decides, if there is no terminal to ask at"))
                .note(
                        "Secret keys are in your own configuration folder, never in a repository."
                            + " Which keys a hive trusts is in .deia/trust.yaml; from then on"
                            + " unsigned mail from their owners is refused. Trusting and revoking"
                            + " are for people.")
                .note(
                        "A passkey is registered on the board, and waits for a person who trusts it"
                                + " here. It proves what that person does on the board; it signs no"
                                + " mail.")
                .example("rsm keys new", "makes a key pair for you")
                .example(
                        "rsm keys trust you-3f2a --human",
                        "makes this hive trust it as a person's key")
                .example(
                        "rsm keys sign note.md > signed.md",
                        "signs an envelope that lies in a file")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        return switch (String.valueOf(call.args().operand(0))) {
            case "new" -> make(call);
            case "list" -> list(call);
            case "trust" -> trust(call);
            case "revoke" -> revoke(call);
            case "confirm" -> confirm(call);
            case "passkey" -> register(call);
            case "sign" -> sign(call);
            default -> throw new IllegalArgumentException("action " + call.args().operand(0));
        };
    }

    private static Answer make(Invocation call) throws IOException {
        if (call.args().has("human")) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "--human is for trust: whether a key is a person's is for each hive to"
                                    + " say")
                    .hint("once it is made:")
                    .fix("rsm keys trust KID --human");
        }
        SecureRandom random = new SecureRandom();
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        String typed = call.args().operand(1);
        KeyId kid = typed == null ? KeyId.parse(call.actor() + "-" + tag(random)) : kid(typed);
        Signer signer =
                call.args().has("hmac") ? Signer.hmac(kid, secret) : Signer.ed25519(kid, secret);
        OwnKey key = new OwnKey(signer, call.actor());
        String file = new OwnKeys(call).add(key).toString();
        return new KeyAnswer(
                        KeyAnswer.Row.of(key),
                        "made key " + kid + " for " + call.actor() + " in " + file)
                .next("have this hive trust it:  rsm keys trust " + kid);
    }

    private static String tag(SecureRandom random) {
        StringBuilder tag = new StringBuilder();
        for (int i = 0; i < TAG_LENGTH; i++) {
            tag.append(Character.forDigit(random.nextInt(16), 16));
        }
        return tag.toString();
    }

    private static Answer list(Invocation call) throws IOException {
        List<KeyAnswer.Row> rows = new ArrayList<>();
        List<OwnKey> own = new OwnKeys(call).all();
        try (OptionalHive hive = OptionalHive.of(call)) {
            List<KeyId> listed = new ArrayList<>();
            if (hive.isThere()) {
                for (Key key : hive.required().knownTrust().keys()) {
                    listed.add(key.kid());
                    boolean isOwn =
                            own.stream().anyMatch(mine -> mine.signer().kid().equals(key.kid()));
                    rows.add(KeyAnswer.Row.of(key, isOwn, call.now()));
                }
                for (Passkey passkey : hive.required().knownTrust().passkeys()) {
                    rows.add(
                            KeyAnswer.Row.of(
                                    passkey, passkey.isLive(call.now()) ? "trusted" : "revoked"));
                }
                for (PasskeyFiles.Waiting one : new Passkeys(call, hive.required()).waiting()) {
                    rows.add(KeyAnswer.Row.of(one.passkey(), "unconfirmed"));
                }
            }
            for (OwnKey key : own) {
                if (!listed.contains(key.signer().kid())) {
                    rows.add(KeyAnswer.Row.of(key));
                }
            }
        }
        return new KeyAnswer.Listing(rows);
    }

    /// Registers the passkey that a page of the board made.
    private static Answer register(Invocation call) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            Passkeys.Registered made = new Passkeys(call, hive).register();
            String kid = made.passkey().kid().name();
            return made.isTrusted()
                    ? new KeyAnswer(
                            KeyAnswer.Row.of(made.passkey(), "trusted"),
                            "this hive trusts passkey " + kid + " now")
                    : new KeyAnswer(
                                    KeyAnswer.Row.of(made.passkey(), "unconfirmed"),
                                    "passkey " + kid + " is registered, and counts for nothing yet")
                            .next("to confirm it, in a terminal:  rsm keys trust " + kid);
        }
    }

    private static Answer trust(Invocation call) throws IOException {
        KeyId kid = kid(required(call));
        try (OpenHive hive = TypedHive.open(call)) {
            Passkeys passkeys = new Passkeys(call, hive);
            Passkey waiting = passkeys.waiting(kid).map(PasskeyFiles.Waiting::passkey).orElse(null);
            if (waiting != null) {
                call.note(
                        "passkey %s of %s came from a browser that was paired; trust it only if"
                                        .formatted(kid, waiting.actor())
                                + " your browser shows this name");
                Authority.Person person =
                        PersonsWord.askToType(
                                call,
                                hive,
                                Passkeys.deed(Deed.TRUST, waiting, "trusting"),
                                kid.name());
                passkeys.trust(waiting, person);
                return new KeyAnswer(
                        KeyAnswer.Row.of(waiting, "trusted"),
                        "this hive trusts passkey "
                                + kid
                                + " now ("
                                + SafeText.line(person.told())
                                + ")");
            }
            Key key = keyToTrust(call, kid);
            if (call.args().has("human")) {
                try {
                    key = key.asHuman();
                } catch (IllegalArgumentException e) {
                    throw new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e)
                            .hint("a key pair is made by")
                            .fix("rsm keys new");
                }
            }
            Authority.Person person =
                    PersonsWord.ask(
                            call,
                            hive,
                            new Deed(
                                    Deed.TRUST,
                                    kid.name(),
                                    "trusting key " + kid,
                                    KeyRecords.json(key)),
                            kid.name());
            new Session(call, hive).trust(key, person);
            return new KeyAnswer(
                    KeyAnswer.Row.of(key, false, call.now()),
                    "this hive trusts key " + kid + " now (" + SafeText.line(person.told()) + ")");
        }
    }

    private static Key keyToTrust(Invocation call, KeyId kid) throws IOException {
        List<Actor> owners = new ArrayList<>();
        try {
            for (String owner : call.args().values("owner")) {
                owners.add(Actor.parse(owner));
            }
            String hex = call.args().value("public");
            if (hex != null) {
                if (owners.isEmpty()) {
                    throw new CliException(
                            ErrorCode.USAGE,
                            "key " + kid + " has no owner, expected --owner ACTOR");
                }
                return new Key(
                        kid,
                        Signature.Algorithm.ED25519,
                        KeyBytes.parseHex(hex),
                        owners,
                        false,
                        null,
                        null);
            }
        } catch (IllegalArgumentException e) {
            throw new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e);
        }
        OwnKey own = new OwnKeys(call).find(kid);
        if (own == null) {
            throw new CliException(
                            ErrorCode.NO_SUCH_KEY,
                            "no key " + kid + " on this machine, expected one or --public HEX")
                    .fix("rsm keys list");
        }
        return Key.of(own.signer(), owners.isEmpty() ? List.of(own.actor()) : owners);
    }

    private static Answer revoke(Invocation call) throws IOException {
        KeyId kid = kid(required(call));
        try (OpenHive hive = TypedHive.open(call)) {
            Answer passkey = revokePasskey(call, hive, kid);
            if (passkey != null) {
                return passkey;
            }
            Key key =
                    hive.trustToChange()
                            .find(kid)
                            .orElseThrow(() ->
                                    new CliException(
                                                    ErrorCode.NO_SUCH_KEY,
                                                    "this hive trusts no key " + kid)
                                            .fix("rsm keys list"));
            Authority.Person person =
                    PersonsWord.ask(
                            call,
                            hive,
                            new Deed(
                                    Deed.REVOKE,
                                    kid.name(),
                                    "revoking key " + kid,
                                    KeyRecords.json(key)),
                            kid.name());
            Key revoked = new Session(call, hive).revoke(key, person);
            return new KeyAnswer(
                    KeyAnswer.Row.of(revoked, false, call.now()),
                    "key " + kid + " is revoked (" + SafeText.line(person.told()) + ")");
        }
    }

    /// Gives a passkey up, or forgets an unconfirmed one; null if there is none of that name.
    private static @Nullable Answer revokePasskey(Invocation call, OpenHive hive, KeyId kid)
            throws IOException {
        Passkeys passkeys = new Passkeys(call, hive);
        Passkey waiting = passkeys.waiting(kid).map(PasskeyFiles.Waiting::passkey).orElse(null);
        Passkey passkey = hive.trustToChange().passkey(kid).orElse(waiting);
        if (passkey == null) {
            return null;
        }
        Authority.Person person =
                PersonsWord.ask(
                        call, hive, Passkeys.deed(Deed.REVOKE, passkey, "revoking"), kid.name());
        if (passkey.equals(waiting)) {
            passkeys.forget(kid);
        } else {
            passkey = passkeys.revoke(passkey, person);
        }
        return new KeyAnswer(
                KeyAnswer.Row.of(passkey, "revoked"),
                "passkey " + kid + " is revoked (" + SafeText.line(person.told()) + ")");
    }

    /// Tells the log of keys that are in the hive's list without its knowledge: they came with git,
    /// from an earlier version, or by hand.
    private static Answer confirm(Invocation call) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            Session session = new Session(call, hive);
            List<KeyRecords.Difference> differences = session.unknownKeys();
            if (differences.isEmpty()) {
                return new Confirmed(differences, "");
            }
            for (KeyRecords.Difference difference : differences) {
                call.note("key " + difference.kid() + ": " + difference.found());
            }
            Authority.Person person =
                    PersonsWord.ask(
                            call,
                            hive,
                            Deed.of("confirm", "keys", "confirming what this hive trusts")
                                    .withAll(
                                            "keys",
                                            differences.stream()
                                                    .map(one -> one.correction().toString())
                                                    .toList()),
                            "confirm");
            session.confirm(differences, person);
            return new Confirmed(differences, " (" + SafeText.line(person.told()) + ")");
        }
    }

    /// @param by whose word it was, in words
    private record Confirmed(List<KeyRecords.Difference> keys, String by) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .putTexts("confirmed", keys.stream().map(KeyRecords.Difference::kid).toList());
        }

        @Override
        public void show(Screen screen) {
            if (keys.isEmpty()) {
                screen.line("every key is as the event log tells");
            }
            for (KeyRecords.Difference key : keys) {
                screen.line(SafeText.line("confirmed key " + key.kid() + ": " + key.found() + by));
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            for (KeyRecords.Difference key : keys) {
                screen.line(key.kid());
            }
        }
    }

    private static Answer sign(Invocation call) throws IOException {
        String file = required(call);
        byte[] bytes = new TypedFiles(call).read(file, EnvelopeText.ENVELOPE_BYTES_MAX);
        Envelope envelope = Composer.complete(bytes, file, null, call.now());
        return new SignedFile(
                Signing.ownKey(call, envelope.from(), Typed.key(call.args()))
                        .signer()
                        .sign(envelope));
    }

    private static String required(Invocation call) {
        String typed = call.args().operand(1);
        if (typed == null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "rsm keys " + call.args().operand(0) + " needs a KID or FILE")
                    .fix("rsm keys --help");
        }
        return typed;
    }

    private static KeyId kid(String typed) {
        try {
            return KeyId.parse(typed);
        } catch (IllegalArgumentException e) {
            throw new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private record SignedFile(Envelope envelope) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("id", envelope.id().text())
                    .put("kid", envelope.kid().map(KeyId::name).orElse(""))
                    .put("raw", new String(envelope.bytes(), StandardCharsets.UTF_8));
        }

        @Override
        public void show(Screen screen) {
            screen.bytes(envelope.bytes());
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }
    }
}
