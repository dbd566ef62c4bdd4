package dev.pheromone.file.upkeep;

import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Archive;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.Inspector;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.remote.Outboxes;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/// Where every copy of every envelope is: a look at the hive's folders that changes nothing.
public final class Catalog {

    private final Disk files;
    private final HiveLayout layout;
    private final Copies copies;
    private final AddressBook addresses;
    private final Parking parking;
    private final Outboxes outboxes;
    private final InstantSource clock;

    public Catalog(
            Disk files,
            HiveLayout layout,
            Copies copies,
            AddressBook addresses,
            Parking parking,
            Outboxes outboxes,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.copies = copies;
        this.addresses = addresses;
        this.parking = parking;
        this.outboxes = outboxes;
        this.clock = clock;
    }

    /// One copy of an envelope, by the name of its file.
    ///
    /// @param id null for what was buried without one
    /// @param since when it came to be there, as far as the name tells
    /// @param claim who has it, while it is active
    public record Item(
            Domain inbox,
            State state,
            @Nullable EnvelopeId id,
            String location,
            @Nullable Instant since,
            @Nullable Held claim) {}

    /// A claim in force.
    public record Held(
            String token, Actor worker, int attempt, Instant claimedAt, Instant leaseEndsAt) {}

    /// The copies whose id is, or ends with, `text`, in any case. None is said only after a second
    /// look: mail that goes back to its inbox may be missed by the first.
    public List<Item> find(String text) throws IOException {
        List<Item> found = look(text);
        return found.isEmpty() ? look(text) : found;
    }

    private List<Item> look(String text) throws IOException {
        String wanted = text.toUpperCase(Locale.ROOT);
        List<Item> found = new ArrayList<>();
        for (Domain domain : domains()) {
            addMatching(wanted, all(domain), found);
        }
        addMatching(wanted, spooled(), found);
        return found;
    }

    /// The liveliest copy of an envelope; empty if there is none.
    public Optional<Transport.Found> open(EnvelopeId id) throws IOException {
        List<Item> copies = find(id.text());
        copies.sort(Comparator.comparing(Item::state));
        for (Item item : copies) {
            try {
                return Optional.of(
                        new Transport.Found(
                                Envelope.parse(read(item)), item.inbox(), item.state()));
            } catch (NoSuchFileException | MalformedEnvelopeException e) {
                // It went on its way, or is none: the next may be one.
            }
        }
        return Optional.empty();
    }

    /// The copy of an envelope in one inbox, as far as it is where its id tells: whatever else
    /// there is, and was, is not looked at.
    public Optional<Transport.Found> open(EnvelopeId id, Domain domain) throws IOException {
        for (Place place : places(id, domain)) {
            try {
                Optional<byte[]> bytes =
                        RegularFile.read(files, place.file(), EnvelopeText.ENVELOPE_BYTES_MAX);
                if (bytes.isPresent()) {
                    Envelope envelope = Envelope.parse(bytes.get());
                    return Optional.of(new Transport.Found(envelope, domain, place.state()));
                }
            } catch (FileSystemException | MalformedEnvelopeException e) {
                // It is none, or went on its way: then it is at the next.
            }
        }
        return Optional.empty();
    }

    /// Where a copy may be.
    private record Place(Path file, State state) {}

    private List<Place> places(EnvelopeId id, Domain domain) throws IOException {
        List<Place> places = new ArrayList<>();
        places.add(new Place(layout.mail(domain, id), State.WAITING));
        for (Path file : parking.all(domain)) {
            if (idInName(file).equals(Optional.of(id))) {
                places.add(new Place(file, State.WAITING));
            }
        }
        for (ReturnName name : copies.claims().returning(domain)) {
            if (name.claim().id().equals(id)) {
                Path file = layout.returning(domain).resolve(name.fileName());
                places.add(new Place(file, State.WAITING));
            }
        }
        for (ClaimName claim : copies.claims().list(domain)) {
            if (claim.id().equals(id)) {
                places.add(new Place(copies.claims().path(domain, claim), State.ACTIVE));
            }
        }
        Optional<Path> finished = copies.seen().find(domain, id);
        if (finished.isPresent()) {
            places.add(new Place(finished.get(), ending(domain, id)));
        }
        return places;
    }

    /// How a copy ended; silence is taken for done.
    private State ending(Domain domain, EnvelopeId id) throws IOException {
        for (Json.Obj step : history(domain, id).reversed()) {
            Optional<State> state = History.stateOf(step).filter(State::isFinal);
            if (state.isPresent()) {
                return state.get();
            }
        }
        return State.DONE;
    }

    private static void addMatching(String wanted, List<Item> items, List<Item> found) {
        for (Item item : items) {
            if (item.id() != null && item.id().text().toUpperCase(Locale.ROOT).endsWith(wanted)) {
                found.add(item);
            }
        }
    }

    /// The inboxes there are, and those that mail for another transport ended on the way to.
    public List<Domain> domains() throws IOException {
        TreeSet<Domain> domains = new TreeSet<>(addresses.domains());
        for (Path folder : files.list(layout.archives())) {
            Domain.find(String.valueOf(folder.getFileName())).ifPresent(domains::add);
        }
        return List.copyOf(domains);
    }

    /// What waits for another transport; its inbox is the first that it is addressed to there.
    private List<Item> spooled() throws IOException {
        List<Item> items = new ArrayList<>();
        for (Path folder : files.list(layout.outboxes())) {
            String transport = String.valueOf(folder.getFileName());
            if (transport.equals(HiveLayout.PARKED_FOLDER) || !Domain.isName(transport)) {
                continue;
            }
            for (Outbox.Item mail : outboxes.of(transport).waiting()) {
                if (mail.envelope() != null) {
                    items.add(
                            new Item(
                                    mail.envelope().to().getFirst().domain(),
                                    State.WAITING,
                                    mail.envelope().id(),
                                    mail.location(),
                                    null,
                                    null));
                }
            }
        }
        return items;
    }

    /// Every copy that an inbox has or had.
    public List<Item> all(Domain domain) throws IOException {
        return since(domain, Instant.EPOCH);
    }

    /// Every copy that an inbox has, or had on the day of `oldest` or later.
    public List<Item> since(Domain domain, Instant oldest) throws IOException {
        List<Item> items = open(domain);
        for (State state : Archive.STATES) {
            items.addAll(archived(domain, state, oldest));
        }
        return items;
    }

    /// Every copy that waits or is worked on.
    public List<Item> open(Domain domain) throws IOException {
        List<Item> items = new ArrayList<>(waiting(domain));
        items.addAll(parked(domain));
        items.addAll(active(domain));
        return items;
    }

    /// The files in the inbox that are mail by their name.
    private List<Item> waiting(Domain domain) throws IOException {
        List<Item> items = new ArrayList<>();
        files.forEach(
                files.list(layout.inbox(domain)),
                file -> {
                    if (InboxIndex.isMailName(file)) {
                        items.add(
                                new Item(
                                        domain,
                                        State.WAITING,
                                        idOf(file).orElse(null),
                                        layout.nameOf(file),
                                        null,
                                        null));
                    }
                });
        for (ReturnName name : copies.claims().returning(domain)) {
            // On its way back: it waits, if only for a moment.
            Path file = layout.returning(domain).resolve(name.fileName());
            EnvelopeId id = name.claim().id();
            if (!files.exists(layout.mail(domain, id))) {
                items.add(new Item(domain, State.WAITING, id, layout.nameOf(file), null, null));
            }
        }
        return items;
    }

    /// What waits for its sender's mute to end, beside the inbox.
    public List<Item> parked(Domain domain) throws IOException {
        List<Item> items = new ArrayList<>();
        for (Path file : parking.all(domain)) {
            items.add(
                    new Item(
                            domain,
                            State.WAITING,
                            idInName(file).orElse(null),
                            layout.nameOf(file),
                            null,
                            null));
        }
        return items;
    }

    /// Whether a parked copy is from `sender`, as its place tells.
    public boolean isFrom(Item parked, Actor sender) {
        return parked.location()
                .startsWith(layout.nameOf(layout.parked(sender, parked.inbox())) + "/");
    }

    /// The envelopes that somebody works on.
    public List<Item> active(Domain domain) throws IOException {
        Instant now = clock.instant();
        List<Item> items = new ArrayList<>();
        for (ClaimName claim : copies.claims().list(domain)) {
            Path file = copies.claims().path(domain, claim);
            Optional<Stat> stat = files.stat(file);
            if (stat.isPresent()) {
                items.add(
                        new Item(
                                domain,
                                State.ACTIVE,
                                claim.id(),
                                layout.nameOf(file),
                                claim.claimedAt(),
                                new Held(
                                        claim.token(),
                                        claim.worker(),
                                        claim.attempt(),
                                        claim.claimedAt(),
                                        claim.leaseEndsAt(stat.get(), now))));
            }
        }
        return items;
    }

    /// What ended in `state`, oldest day first.
    public List<Item> archived(Domain domain, State state) throws IOException {
        return archived(domain, state, Instant.EPOCH);
    }

    private List<Item> archived(Domain domain, State state, Instant oldest) throws IOException {
        List<Item> items = new ArrayList<>();
        Path folder = layout.archive(domain).resolve(state.toString());
        Path oldestDay = layout.archive(domain, state, oldest);
        List<Path> days = new ArrayList<>(files.list(folder));
        days.removeIf(day -> day.compareTo(oldestDay) < 0);
        days.sort(null);
        for (Path day : days) {
            List<Path> mail = new ArrayList<>(files.list(day));
            mail.sort(null);
            for (Path file : mail) {
                items.add(
                        new Item(
                                domain,
                                state,
                                idInName(file).orElse(null),
                                layout.nameOf(file),
                                Archive.timeOf(file).orElse(null),
                                null));
            }
        }
        return items;
    }

    /// Does `step` for each of `items`, of which some dozens are one operation to the guard.
    public void forEach(List<Item> items, Disk.Each<Item> step) throws IOException {
        files.forEach(items, step);
    }

    /// The content of a copy, as it is on the disk; nothing if it is no file, as what was buried
    /// may be.
    public byte[] read(Item item) throws IOException {
        Path file = layout.root().resolve(item.location());
        Stat stat = files.stat(file).orElseThrow(() -> new NoSuchFileException(item.location()));
        return stat.isFile() ? files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX + 1) : new byte[0];
    }

    /// When a copy came here, as selection counts it.
    public Instant firstSeen(Item item) throws IOException {
        Path file = layout.root().resolve(item.location());
        Stat stat = files.stat(file).orElseThrow(() -> new NoSuchFileException(item.location()));
        EnvelopeId id = item.id();
        History.Facts facts =
                id == null ? History.Facts.NONE : copies.history().read(item.inbox(), id.text());
        return facts.firstSeen(stat.changed());
    }

    /// When a copy was stored here, whatever became of it since: the first time that its history
    /// tells; else what the file tells. A file that expired was renamed since, which changes its
    /// ctime, so of that one the time of its content counts.
    public Instant storedAt(Item item) throws IOException {
        Path file = layout.root().resolve(item.location());
        Stat stat = files.stat(file).orElseThrow(() -> new NoSuchFileException(item.location()));
        EnvelopeId id = item.id();
        for (Json.Obj step : id == null ? List.<Json.Obj>of() : history(item.inbox(), id)) {
            if (step.optionalText("what").orElse("").equals("first_seen")) {
                return History.timeOf(step).orElse(stat.changed());
            }
        }
        return item.state() == State.EXPIRED && stat.modified().isBefore(stat.changed())
                ? stat.modified()
                : stat.changed();
    }

    /// What happened to a copy, oldest first: JSON objects with `ts` and `what`.
    public List<Json.Obj> history(Domain domain, EnvelopeId id) throws IOException {
        return copies.history().read(domain, id.text()).steps();
    }

    /// The transport that a copy was on its way to when it ended; empty if it ended here.
    public Optional<String> endedOnTheWayTo(Domain domain, EnvelopeId id) throws IOException {
        for (Json.Obj step : history(domain, id).reversed()) {
            if (step.optionalText("what").orElse("").equals("outcome")) {
                return step.optionalText("via");
            }
        }
        return Optional.empty();
    }

    /// Why a copy ended, as whoever ended it noted; empty if nobody did.
    public String reason(Domain domain, EnvelopeId id) throws IOException {
        for (Json.Obj step : history(domain, id).reversed()) {
            if (step.optionalText("what").orElse("").equals("outcome")) {
                return step.optionalText("note").orElse("");
            }
        }
        return "";
    }

    /// The id in the header, which counts; or in the file's name, if there is no header to be read.
    private Optional<EnvelopeId> idOf(Path file) throws IOException {
        return copies.inspector().glance(file, clock.instant())
                        instanceof Inspector.Sight.Glimpse(var header, var _)
                ? Optional.of(header.id())
                : idInName(file);
    }

    private static Optional<EnvelopeId> idInName(Path file) {
        String name = String.valueOf(file.getFileName());
        int dot = name.indexOf('.');
        String id = dot < 0 ? name : name.substring(0, dot);
        return EnvelopeId.isId(id) ? Optional.of(EnvelopeId.parse(id)) : Optional.empty();
    }
}
