package dev.pheromone.nats;

import static io.nats.client.support.NatsJetStreamConstants.EXPECTED_LAST_SUB_SEQ_HDR;
import static io.nats.client.support.NatsJetStreamConstants.MSG_ID_HDR;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;
import dev.pheromone.text.Json;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.Headers;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/// The connection to the server. It comes back by itself when it was lost, and is opened anew where
/// a server did not let us in again; what is asked meanwhile is asked again until there is an
/// answer or patience is over.
final class ReconnectingConnection implements AutoCloseable {

    private static final byte[] NOTHING = {};
    private static final Duration RETRY_PAUSE = Duration.ofMillis(50);

    /// How long we wait for mail, or for word that there is none.
    private static final Duration SILENCE_MAX = Duration.ofMillis(500);

    /// How long the silence of one consumer is borne while there is mail of another.
    private static final Duration SILENCE_BESIDE_MAIL_MAX = Duration.ofMillis(50);

    /// How often we try to be let in again where we were not.
    private static final Duration REOPEN_EVERY = Duration.ofSeconds(1);

    /// The server has no leader for this stream just now, has no room, or is starting.
    private static final int UNAVAILABLE = 503;

    /// Something that is asked of the server. Asking twice must be harmless.
    interface Question<T> {
        T ask() throws IOException, JetStreamApiException;
    }

    private final NatsOptions options;
    private final Duration patience;
    private volatile OpenConnection current;
    private @Nullable IOException refusal;
    private long refusedAt;
    private volatile boolean isClosed;

    ReconnectingConnection(NatsOptions options) throws IOException {
        this.options = options;
        patience = options.patience();
        current = OpenConnection.to(options);
    }

    /// The connection that is open. The library gives up for good when a server does not let us in
    /// twice; that may be fixed on the server, so this class tries again.
    private OpenConnection open() throws IOException {
        OpenConnection last = current;
        return last.isOver() && !isClosed ? reopened() : last;
    }

    private synchronized OpenConnection reopened() throws IOException {
        if (isClosed || !current.isOver()) {
            return current;
        }
        if (refusal != null && System.nanoTime() - refusedAt < REOPEN_EVERY.toNanos()) {
            throw refusal;
        }
        try {
            current = OpenConnection.to(options);
            return current;
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            refusal = e;
            refusedAt = System.nanoTime();
            throw e;
        }
    }

    /// The answer to `question`, which is asked until the server is there to answer it.
    <T> T ask(Question<T> question) throws IOException {
        long end = System.nanoTime() + patience.toNanos();
        boolean isAsked = false;
        while (true) {
            try {
                return once(question);
            } catch (RefusedException e) {
                throw e;
            } catch (NotLetInException e) {
                // That would say that nothing has happened; a try before this one may have arrived.
                throw isAsked ? new AwayException(String.valueOf(e.getMessage()), e) : e;
            } catch (IOException e) {
                isAsked = true;
                if (isClosed) {
                    throw closed(e);
                }
                if (System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
                    throw new AwayException(
                            "nats server: "
                                    + problem(e)
                                    + "; what was asked may have happened, and asking again is"
                                    + " safe",
                            e);
                }
            }
            LockSupport.parkNanos(RETRY_PAUSE.toNanos());
        }
    }

    private String problem(IOException last) {
        String time = patience.toSeconds() + "s";
        return last.getCause() instanceof JetStreamApiException answer
                ? answer.getErrorDescription() + ", for " + time
                : "no answer within " + time + ", expected one";
    }

    /// Nothing is asked on this connection any more.
    private static IOException closed(Exception e) {
        return new IOException("nats server: the connection is closed", e);
    }

    private static <T> T once(Question<T> question) throws IOException {
        try {
            return question.ask();
        } catch (JetStreamApiException e) {
            RefusedException refused = new RefusedException(e);
            if (e.getErrorCode() == UNAVAILABLE && !refused.is(RefusedException.NO_JETSTREAM)) {
                throw new IOException(e);
            }
            throw refused;
        } catch (IllegalStateException e) {
            throw closed(e);
        }
    }

    JetStreamManagement management() throws IOException {
        return open().management();
    }

    /// Several questions at once, which whoever opens this waits for and closes.
    Exchange exchange() throws IOException {
        OpenConnection open = open();
        try {
            return Exchange.open(open.connection(), open.idleExchanges());
        } catch (IllegalStateException e) {
            throw closed(e);
        }
    }

    /// The answer to one question, which may be asked again.
    private Message answer(String subject, @Nullable Headers headers, byte[] data)
            throws IOException {
        try (Exchange exchange = exchange()) {
            return exchange.ask(subject, headers, data).get();
        }
    }

    /// Stores a message if the last one under `subject` has the sequence `last`, 0 for none. When
    /// this returns, it is stored.
    ///
    /// @param key what the server knows the message by for a while; empty for nothing
    PublishAck store(String subject, Headers headers, byte[] data, long last, String key)
            throws IOException {
        Headers all = new Headers(headers).put(EXPECTED_LAST_SUB_SEQ_HDR, Long.toString(last));
        if (!key.isEmpty()) {
            all.put(MSG_ID_HDR, key);
        }
        return ask(() -> new PublishAck(answer(subject, all, data)));
    }

    /// Stores a message as `store` does; whether it is stored is waited for later.
    Exchange.Later<PublishAck> storeSoon(
            Exchange exchange, String subject, byte[] data, long last) {
        Headers headers = new Headers().put(EXPECTED_LAST_SUB_SEQ_HDR, Long.toString(last));
        Exchange.Later<PublishAck> again = () -> store(subject, headers, data, last, "");
        Exchange.Later<Message> answer;
        try {
            answer = exchange.ask(subject, headers, data);
        } catch (IllegalStateException e) {
            return again;
        }
        return () -> {
            try {
                return once(() -> new PublishAck(answer.get()));
            } catch (RefusedException | InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                return again.get();
            }
        };
    }

    /// The last message under `subject`, as the stream's leader has it: the library's own way asks
    /// anybody where a stream allows that.
    Optional<MessageInfo> last(String streamName, String subject) throws IOException {
        return find(() -> found(streamName, answer(getOf(streamName), null, questionOf(subject))));
    }

    /// The same, asked now and waited for later.
    Exchange.Later<Optional<MessageInfo>> lastSoon(
            Exchange exchange, String streamName, String subject) {
        Exchange.Later<Optional<MessageInfo>> again = () -> last(streamName, subject);
        Exchange.Later<Message> answer;
        try {
            answer = exchange.ask(getOf(streamName), null, questionOf(subject));
        } catch (IllegalStateException e) {
            return again;
        }
        return () -> {
            try {
                return Optional.of(once(() -> found(streamName, answer.get())));
            } catch (RefusedException e) {
                return noneIfMissing(e);
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                return again.get();
            }
        };
    }

    private static String getOf(String streamName) {
        return "$JS.API.STREAM.MSG.GET." + streamName;
    }

    private static byte[] questionOf(String subject) {
        return Json.obj().put("last_by_subj", subject).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static MessageInfo found(String streamName, Message answer)
            throws IOException, JetStreamApiException {
        return new MessageInfo(answer, streamName, false).throwOnHasError();
    }

    /// The last message under `subject` as any server has it that has one, which may be an old one;
    /// empty also if none answers.
    Exchange.Later<Optional<byte[]>> lastKnownSoon(
            Exchange exchange, String streamName, String subject) {
        Exchange.Later<Message> answer;
        try {
            answer =
                    exchange.ask("$JS.API.DIRECT.GET." + streamName + "." + subject, null, NOTHING);
        } catch (IllegalStateException e) {
            return Optional::empty;
        }
        return () -> {
            try {
                Message message = answer.get();
                return message.isStatusMessage()
                        ? Optional.empty()
                        : Optional.of(message.getData());
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                // Whoever needs to be sure asks the leader.
                return Optional.empty();
            }
        };
    }

    Optional<MessageInfo> at(String streamName, long sequence) throws IOException {
        return find(() -> management().getMessage(streamName, sequence));
    }

    /// The first message under `subject` that is not before `sequence`.
    Optional<MessageInfo> next(String streamName, long sequence, String subject)
            throws IOException {
        return find(() -> management().getNextMessage(streamName, sequence, subject));
    }

    private Optional<MessageInfo> find(Question<MessageInfo> question) throws IOException {
        try {
            return Optional.of(ask(question));
        } catch (RefusedException e) {
            return noneIfMissing(e);
        }
    }

    private static Optional<MessageInfo> noneIfMissing(RefusedException answer)
            throws RefusedException {
        if (answer.is(RefusedException.MESSAGE_NOT_FOUND)) {
            return Optional.empty();
        }
        throw answer;
    }

    /// What came of asking consumers for their next message.
    ///
    /// @param silent who did not say in time whether it has one
    record Pulled(Map<String, Message> mail, Set<String> silent) {}

    /// The next message of each of these consumers, asked all at once; who has none is left out.
    ///
    /// Of two that ask for the last message, the server may leave one without an answer until there
    /// is another. But who says nothing may as well be about to be moved to another server.
    ///
    /// @throws IOException if nobody is there to answer; what somebody did answer is not lost on
    ///   others
    Pulled pull(String streamName, Collection<String> consumers) throws IOException {
        Map<String, Message> mail = new HashMap<>();
        Set<String> silent = new HashSet<>(consumers);
        boolean isAnybodyThere = true;
        OpenConnection open = open();
        try {
            @Nullable Pull idle = open.idlePulls().poll();
            Pull pull = idle == null ? new Pull(open.connection()) : idle;
            try {
                for (String consumer : consumers) {
                    pull.ask(streamName, consumer);
                }
                isAnybodyThere = collect(pull, mail, silent);
            } catch (IOException e) {
                pull.abandon(silent.size());
                mail.values().forEach(Message::nak);
                throw e;
            }
            if (silent.isEmpty()) {
                open.idlePulls().add(pull);
            } else {
                pull.abandon(silent.size());
            }
        } catch (IllegalStateException e) {
            throw closed(e);
        }
        if (mail.isEmpty() && !isAnybodyThere) {
            throw new IOException("nats server: nobody hands out mail just now");
        }
        if (mail.isEmpty() && silent.size() == consumers.size()) {
            open.requireServer();
        }
        return new Pulled(mail, silent);
    }

    /// How much mail a consumer has not handed out yet.
    long notHandedOut(String streamName, String consumer) throws IOException {
        return ask(() -> management().getConsumerInfo(streamName, consumer)).getNumPending();
    }

    /// Takes the answers that come into `mail`, and who has answered out of `open`; says whether
    /// somebody was there to answer each question.
    private static boolean collect(Pull pull, Map<String, Message> mail, Set<String> open)
            throws IOException {
        boolean isAnybodyThere = true;
        long end = System.nanoTime() + SILENCE_MAX.toNanos();
        while (!open.isEmpty()) {
            Pull.@Nullable Answer answer =
                    pull.next(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            if (answer == null) {
                break;
            }
            open.remove(answer.consumer());
            switch (answer) {
                case Pull.Answer.Mail(var consumer, var message) -> {
                    mail.put(consumer, message);
                    end = Math.min(end, System.nanoTime() + SILENCE_BESIDE_MAIL_MAX.toNanos());
                }
                case Pull.Answer.None _ -> {}
                case Pull.Answer.Nobody _ -> isAnybodyThere = false;
            }
        }
        return isAnybodyThere;
    }

    /// Tells without waiting for an answer. Whether it arrives is not known.
    void tell(String subject, byte[] data) {
        try {
            current.connection().publish(subject, data);
        } catch (IllegalStateException e) {
            // Closed: whoever relied on this sees to it when the mail is handed out again.
        }
    }

    /// Tells, and waits until the server has heard it, for a moment.
    void tellAndWait(String subject, byte[] data) {
        try {
            @Nullable Message _ = current.connection().request(subject, data, Exchange.ANSWER_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            // Closed: as above.
        }
    }

    Subscription listen(String subject) throws IOException {
        return open().connection().subscribe(subject);
    }

    /// The connection after which no other is opened.
    private synchronized OpenConnection last() {
        return current;
    }

    /// What was told without waiting for an answer is on the server before the connection ends, if
    /// the server is there.
    @Override
    public void close() throws IOException {
        isClosed = true;
        last().close();
    }
}
