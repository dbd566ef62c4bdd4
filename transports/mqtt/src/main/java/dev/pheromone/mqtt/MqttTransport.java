package dev.pheromone.mqtt;

import dev.pheromone.Capability;
import dev.pheromone.Domain;
import dev.pheromone.Ended;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Reach;
import dev.pheromone.Receipt;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A hive on an MQTT 5 broker. Any number of processes on any number of machines may use it at
/// once. Safe for use by several threads.
///
/// Mail and what becomes of it are messages that the broker keeps. Of all processes that take mail
/// from an inbox, one is its keeper and decides who gets what; the broker sees to it that there is
/// only one.
public final class MqttTransport implements Transport {

    private final MqttOptions options;
    private final InstantSource clock;
    private final Names names;
    private final Link link;
    private final Lookout lookout;
    private final Recipients recipients;
    private final Map<Domain, MqttInbox> inboxes = new ConcurrentHashMap<>();

    private MqttTransport(MqttOptions options, InstantSource clock, Names names, Link link) {
        this.options = options;
        this.clock = clock;
        this.names = names;
        this.link = link;
        lookout = new Lookout(link, names);
        recipients =
                new Recipients(
                        new Inboxes(link, names),
                        options.config(),
                        reach(),
                        options.publicCheck(),
                        this::put);
    }

    /// The hive that `options` name; its inboxes are made if they are not there.
    public static MqttTransport open(MqttOptions options, InstantSource clock) throws IOException {
        Names names = new Names(options.hive());
        Link link = new Link(options, names, clock.instant().toString());
        try {
            MqttTransport transport = new MqttTransport(options, clock, names, link);
            transport.recipients.make(options.inboxes());
            return transport;
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        recipients.make(List.of(inbox));
    }

    /// Who is connected to this hive: the names that they gave themselves, and what tells them
    /// apart. Who vanishes is taken out by the broker.
    public List<String> present() throws IOException {
        return link.read(List.of(names.present("+")), Link.Width.NARROW).keySet().stream()
                .map(Names::lastPart)
                .sorted()
                .toList();
    }

    /// What is wrong with how the broker is set up, as far as that can be found out from here, and
    /// what to do about it. Takes some seconds, and some load.
    public List<String> check() throws IOException {
        return new BrokerCheck(options, names, link).problems();
    }

    /// What the broker says that it is, such as `mosquitto version 2.0.21`; empty if it does not
    /// say.
    public Optional<String> broker() throws IOException {
        return new BrokerCheck(options, names, link).version();
    }

    @Override
    public Reach reach() {
        Reach declared = options.reach();
        return declared == null ? options.broker().reach() : declared;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.EFFECTIVE_ORDER, Capability.PAUSES_RELEASED);
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return recipients.send(envelope);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return recipients.send(envelope, inbox);
    }

    /// No two envelopes share a topic, so storing replaces nothing. Of several who store under one
    /// id at the same moment, the keeper accepts one.
    private SendResult put(Envelope envelope, Domain domain) throws IOException {
        Lookout.Known known = lookout.look(domain, envelope.id());
        Post post = Mail.post(names, domain, envelope, clock.instant(), known.office());
        if (!known.posts().isEmpty()) {
            return isSame(known.posts(), post.topic(), names.record(domain, envelope.id()))
                    ? new SendResult.Duplicate(post.topic())
                    : new SendResult.Conflict(post.topic(), "another envelope has this id");
        }
        link.store(post);
        link.tell(Post.passing(names.news(domain), new byte[0]));
        return new SendResult.Delivered(post.topic());
    }

    /// Whether what lies there is what is to be sent. Where there is a record, it alone decides.
    private static boolean isSame(List<Post> there, String mail, String record) throws IOException {
        for (Post post : there) {
            if (post.topic().equals(record)) {
                return MailRecord.parse(post.payload()).mail().hex().equals(Names.lastPart(mail));
            }
        }
        return there.stream().allMatch(post -> post.topic().equals(mail));
    }

    @Override
    public List<Domain> domains() throws IOException {
        return recipients.domains();
    }

    /// Only what waits or is being worked on.
    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        for (Domain domain : recipients.domains()) {
            Shelf shelf = new Shelf(link, names, domain);
            for (Post post : shelf.mail(id)) {
                State state = shelf.record(id).map(MailRecord::state).orElse(State.WAITING);
                if (state.isFinal()) {
                    continue;
                }
                try {
                    return Optional.of(new Found(Envelope.parse(post.payload()), domain, state));
                } catch (MalformedEnvelopeException e) {
                    throw new IOException("envelope " + id + ": " + e.getMessage(), e);
                }
            }
        }
        return Optional.empty();
    }

    /// Its record outlives it.
    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        Shelf shelf = new Shelf(link, names, inbox);
        Optional<MailRecord> known = shelf.record(id);
        if (known.isPresent()) {
            return known.map(MailRecord::state);
        }
        return shelf.mail(id).isEmpty() ? Optional.empty() : Optional.of(State.WAITING);
    }

    /// When it ended is not kept.
    @Override
    public Optional<List<Ended>> ended(int countMax) throws IOException {
        List<Ended> found = new ArrayList<>();
        for (Post post : link.read(List.of(names.allArchived()), Link.Width.WIDE).values()) {
            // Below the name of the hive: archive, the inbox, the state, and a name.
            String[] parts = post.topic().split("/", -1);
            Ended.of(
                            parts[parts.length - 3],
                            parts[parts.length - 2],
                            parts[parts.length - 1],
                            post.payload(),
                            post.properties().getOrDefault(Pieces.REASON, ""),
                            null,
                            post.topic())
                    .ifPresent(found::add);
        }
        // Ids begin with the time at which they were made.
        found.sort(Comparator.comparing((Ended one) -> Names.lastPart(one.location())).reversed());
        return Optional.of(found.size() > countMax ? found.subList(0, countMax) : found);
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        recipients.check(domain.address(), domain);
        return inboxes.computeIfAbsent(
                domain, of -> new MqttInbox(options, clock, of, names, link));
    }

    /// Ends the connection. Claims stay, until they are settled or their leases end.
    @Override
    public void close() throws IOException {
        inboxes.values().forEach(MqttInbox::close);
        link.close();
    }
}
