package dev.pheromone.cli.keys;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.Signature;
import dev.pheromone.file.log.KeyRecords;
import dev.pheromone.session.caller.OwnKey;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.text.Json;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What happened to one key.
record KeyAnswer(Row row, String said, String nextStep) implements Answer {

    KeyAnswer(Row row, String said) {
        this(row, said, "");
    }

    KeyAnswer next(String step) {
        return new KeyAnswer(row, said, step);
    }

    /// A key as it is listed; never with its secret.
    ///
    /// @param publicKey the public half in hexadecimal digits, empty for a shared secret
    /// @param trust `trusted`, `revoked`, `expired`, `unconfirmed` or `no`
    record Row(
            String kid,
            String algorithm,
            List<String> owners,
            boolean human,
            boolean own,
            String trust,
            String publicKey) {

        static Row of(OwnKey key) {
            String publicKey =
                    key.signer().algorithm() == Signature.Algorithm.ED25519
                            ? KeyBytes.of(key.signer().publicKey()).toHex()
                            : "";
            return new Row(
                    key.signer().kid().name(),
                    key.signer().algorithm().toString(),
                    List.of(key.actor().name()),
                    false,
                    true,
                    "no",
                    publicKey);
        }

        static Row of(Key key, boolean own, Instant now) {
            List<String> owners = new ArrayList<>();
            for (Actor actor : key.actors()) {
                owners.add(actor.name());
            }
            KeyBytes material = key.material();
            String publicKey =
                    material != null && key.algorithm() == Signature.Algorithm.ED25519
                            ? material.toHex()
                            : "";
            return new Row(
                    key.kid().name(),
                    key.algorithm().toString(),
                    owners,
                    key.human(),
                    own,
                    key.isLive(now) ? "trusted" : key.revoked() != null ? "revoked" : "expired",
                    publicKey);
        }

        /// @param trust `trusted`, `revoked`, or `unconfirmed` until a person trusts it
        static Row of(Passkey passkey, String trust) {
            return new Row(
                    passkey.kid().name(),
                    KeyRecords.WEBAUTHN,
                    List.of(passkey.actor().name()),
                    true,
                    false,
                    trust,
                    passkey.publicKey().toHex());
        }

        Json.Obj json() {
            return Json.obj()
                    .put("kid", kid)
                    .put("algorithm", algorithm)
                    .putTexts("owners", owners)
                    .put("human", human)
                    .put("own", own)
                    .put("trust", trust)
                    .put("public", publicKey.isEmpty() ? Json.Null.NULL : Json.of(publicKey));
        }
    }

    @Override
    public Json.Obj json() {
        return row.json();
    }

    @Override
    public void show(Screen screen) {
        screen.line(SafeText.line(said));
        if (!nextStep.isEmpty()) {
            screen.line(SafeText.line(nextStep));
        }
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(row.kid());
    }

    /// The keys that the hive trusts, and the user's own.
    record Listing(List<Row> rows) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            rows.forEach(row -> items.add(row.json()));
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (rows.isEmpty()) {
                screen.line("no keys; a new one is made by  rsm keys new");
                return;
            }
            Table table = new Table("KID", "OWNER", "TRUSTED HERE", "YOURS", "KIND", "PUBLIC");
            for (Row row : rows) {
                table.row(
                        row.kid(),
                        Phrase.and(row.owners()),
                        row.trust().equals("trusted") ? "yes" : row.trust(),
                        row.own() ? "yes" : "no",
                        row.algorithm() + (row.human() ? ", a person's" : ""),
                        row.algorithm().equals(KeyRecords.WEBAUTHN)
                                ? "a passkey"
                                : row.publicKey());
            }
            screen.table(table);
        }

        @Override
        public void showBriefly(Screen screen) {
            rows.forEach(row -> screen.line(row.kid()));
        }
    }
}
