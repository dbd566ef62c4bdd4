package dev.pheromone.http;

import dev.pheromone.Discreet;
import dev.pheromone.Receipt;
import dev.pheromone.SendResultJson;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.text.Json;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A receipt as JSON: `id`, `hash`, and in `to` the state of each copy, in the words of `rsm send
/// --json`. Places on the server's disk stay there.
public final class ReceiptJson {

    /// No server holds a request for longer; what says so is not believed.
    private static final long WAITED_S_MAX = 3_600;

    private ReceiptJson() {}

    public static Json.Obj write(Receipt receipt) {
        List<Json> to = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            to.add(
                    Json.obj()
                            .put("address", copy.address().toString())
                            .put("inbox", copy.inbox().name())
                            .putAll(SendResultJson.write(copy.result())));
        }
        return Json.obj()
                .put("id", receipt.id().text())
                .put("hash", receipt.hash().toString())
                .put("to", Json.arr(to))
                .putAll(write(receipt.waited()));
    }

    /// `waited_s` and `waited_for`, if the sender had to wait; else nothing.
    public static Json.Obj write(Receipt.Wait wait) {
        return wait.isNone()
                ? Json.obj()
                : Json.obj()
                        .put("waited_s", seconds(wait.length()))
                        .put("waited_for", Discreet.text(wait.reason()));
    }

    private static Receipt.Wait readWait(Json.Obj json) {
        return json.has("waited_s")
                ? new Receipt.Wait(
                        Duration.ofSeconds(Math.clamp(json.number("waited_s"), 0, WAITED_S_MAX)),
                        json.optionalText("waited_for").orElse(""))
                : Receipt.Wait.NONE;
    }

    /// Whole seconds, rounded up: who comes back too early is refused again.
    public static long seconds(Duration duration) {
        return SendResultJson.seconds(duration);
    }

    /// The inverse of `write`.
    ///
    /// @param location what stands for the place of each copy, since the server keeps that to
    ///   itself
    public static Receipt read(Json.Obj json, String location) {
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Json item : json.list("to")) {
            if (!(item instanceof Json.Obj copy)) {
                throw new IllegalArgumentException("field \"to\": expected an array of objects");
            }
            copies.add(
                    new Receipt.Copy(
                            Address.parse(copy.text("address")),
                            Domain.parse(copy.text("inbox")),
                            SendResultJson.read(copy, location)));
        }
        return new Receipt(
                EnvelopeId.parse(json.text("id")),
                ContentHash.parse(json.text("hash")),
                copies,
                readWait(json));
    }
}
