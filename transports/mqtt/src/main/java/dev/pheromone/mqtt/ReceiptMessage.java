package dev.pheromone.mqtt;

import dev.pheromone.Actor;
import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Json;
import dev.pheromone.MalformedJsonException;
import dev.pheromone.SendResult;
import dev.pheromone.SendResultJson;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/// What a receiver says about one message, as JSON: which copy it was, what became of it, and who
/// says so.
///
/// @param correlation the correlation data of that message, in hexadecimal: an old receipt says
///   nothing about a new message
/// @param id null if the message was no envelope
/// @param hash null if the message was no envelope
record ReceiptMessage(
        Domain inbox,
        String correlation,
        @Nullable EnvelopeId id,
        @Nullable ContentHash hash,
        SendResult result,
        Actor by) {

    /// A receipt is short; longer texts are no receipts.
    private static final int BYTES_MAX = 4 * 1024;

    byte[] bytes() {
        Json.Obj json = Json.obj().put("inbox", inbox.name()).put("correlation", correlation);
        if (id != null && hash != null) {
            json = json.put("id", id.text()).put("hash", hash.toString());
        }
        json = json.putAll(SendResultJson.write(result)).put("by", by.name());
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    /// The inverse of `bytes`.
    ///
    /// @throws IllegalArgumentException if it is no receipt
    static ReceiptMessage parse(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "receipt: found " + bytes.length + " bytes, expected at most " + BYTES_MAX);
        }
        Json.Obj json;
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj object)) {
                throw new IllegalArgumentException("receipt: found no object, expected one");
            }
            json = object;
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("receipt: " + e.getMessage(), e);
        }
        Domain inbox = Domain.parse(json.text("inbox"));
        return new ReceiptMessage(
                inbox,
                json.text("correlation"),
                json.optionalText("id").map(EnvelopeId::parse).orElse(null),
                json.optionalText("hash").map(ContentHash::parse).orElse(null),
                SendResultJson.read(json, "inbox " + inbox),
                Actor.parse(json.text("by")));
    }

    /// Whether it is about this copy.
    boolean isAbout(Envelope envelope, Domain target) {
        return inbox.equals(target)
                && (id == null || id.equals(envelope.id()))
                && (hash == null || hash.equals(envelope.hash()));
    }
}
