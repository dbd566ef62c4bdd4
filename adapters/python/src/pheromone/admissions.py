"""Who may put mail into an inbox now, as the files tell. Whatever goes wrong with these files stops no mail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pheromone import yaml
from pheromone.admission import PAIR_PER_MINUTE_MAX, Admission, Sent
from pheromone.config import HiveConfig
from pheromone.envelope import Envelope
from pheromone.files import HiveFiles, write_line
from pheromone.header import ENVELOPE_BYTES_MAX, MalformedEnvelope
from pheromone.history import History
from pheromone.instant import NANOS, Instant
from pheromone.layout import Layout
from pheromone.rse import parse_json
from pheromone.urgency import Urgency
from pheromone.values import Actor, Domain, EnvelopeId, Priority, random_tag

_LEDGER_BYTES_MAX = 8 * 1024 * 1024

# Beyond this, or twice its size after it was last cleared, a ledger is cleared. Its first line says that size if much
# was left.
_CLEARING_BYTES_MIN = 64 * 1024
_CLEARED = "cleared "
_FIRST_LINE_BYTES_MAX = 32

# No line of a ledger is shorter: so many bytes are at most so many envelopes.
_LINE_BYTES_MIN = 34

# A ledger is read from its end, until a line is this old. Several clocks may have written the lines.
_TAIL_BYTES = 16 * 1024
_TAIL_AGE_S = 120

# What a program counted is believed by all others for a second. A count of fewer is as quickly made as read.
_COUNT_FRESH_MS = 1_000
_COUNT_SHARED_MIN = 256
_COUNT_LINE_BYTES_MAX = 64
_COUNTS_BYTES_MAX = 64 * 1024
_MARK_BYTES_MAX = 1024
_OLDEST_TRIES = 4
_MUTE_UNREADABLE_S = 30 * 86_400


class Admissions:
    """The doorkeeper of a hive's inboxes. It heeds backpressure and mutes; to tell of them is left to rsm."""

    def __init__(self, files: HiveFiles, layout: Layout, config: HiveConfig, history: History) -> None:
        self._files = files
        self._layout = layout
        self._config = config
        self._history = history

    def admit(self, domain: Domain, envelope: Envelope, now: Instant) -> Admission:
        """Whether ``domain`` takes the envelope now, and after how long."""
        try:
            history = self._recent(domain, envelope.from_, now)
            waiting = self._waiting(domain, envelope.from_)
            answers = self._answers(domain, envelope.from_, history, now)
            objection = self._config.sender.admit(envelope.priority, envelope.hops, history, waiting, answers, now)
            if objection.is_refused:
                return replace(objection, by_sender=True)
            if self.muted_until(envelope.from_, now) is not None:
                # It is put aside, where no inbox is too full.
                return Admission()
            return self._pressing(domain, envelope.priority, _per_minute(history, now), now)
        except OSError:
            return Admission()

    def count(self, domain: Domain, envelope: Envelope, now: Instant) -> None:
        """Notes an envelope that has come in."""
        ledger = self._layout.sender(domain, envelope.from_)
        try:
            self._files.make_folder(ledger.parent)
            with self._files.append(ledger) as descriptor:
                line = f"{now.millis} {envelope.id} {envelope.priority.value} {envelope.hops}\n"
                write_line(descriptor, line.encode())
            status = self._files.stat(ledger)
            size = 0 if status is None else status.st_size
            if size > _CLEARING_BYTES_MIN and size > 2 * self._cleared_size(ledger):
                self._clear(ledger, domain, envelope.from_, now)
        except OSError:
            # A count that is lost makes us lenient for once.
            pass

    def _cleared_size(self, ledger: Path) -> int:
        """How long the ledger was when somebody last cleared it; 0 if nobody said so."""
        first = self._files.read_part(ledger, 0, _FIRST_LINE_BYTES_MAX)[0].decode(errors="replace").partition("\n")[0]
        size = first.removeprefix(_CLEARED)
        return int(size) if first.startswith(_CLEARED) and size.isascii() and size.isdigit() else 0

    def _clear(self, ledger: Path, domain: Domain, actor: Actor, now: Instant) -> None:
        """Keeps what is younger than a minute or still waits. A line that is added meanwhile may be lost."""
        names = frozenset(self._files.list(self._layout.inbox(domain)))
        kept = [
            f"{one.at.millis} {id} {one.priority.value} {one.hops}\n"
            for id, one in self._all(domain, actor)
            if one.counts(now) or f"{id}.md" in names
        ]
        draft = ledger.parent / f".{ledger.name}.{random_tag(8)}"
        text = "".join(kept)
        first = f"{_CLEARED}{len(text)}\n" if 2 * len(text) > _CLEARING_BYTES_MIN else ""
        self._files.create(draft, (first + text).encode())
        self._files.rename(draft, ledger)

    def muted_until(self, actor: Actor, now: Instant) -> Instant | None:
        """Until when a person has muted this sender; what can't be read mutes for as long as mail can live."""
        file = self._layout.mute(actor)
        status = self._files.stat(file)
        if status is None:
            return None
        until = Instant(status.st_mtime_ns).plus(_MUTE_UNREADABLE_S)
        try:
            fields = yaml.parse(self._files.read(file, yaml.BYTES_MAX))
            if isinstance(fields, dict) and isinstance(fields.get("until"), str):
                until = Instant.parse(str(fields["until"]))
        except (OSError, ValueError):
            pass
        return until if now < until else None

    def is_draining(self, domain: Domain) -> bool:
        return self._held(domain) is not None

    def _pressing(self, domain: Domain, priority: Priority, sent: int, now: Instant) -> Admission:
        depth, age_s = self._shared_count(domain, now) or self._count(domain, now)
        return self._config.pressure.admit(priority, domain, self._held(domain), depth, age_s, sent)

    def _count(self, domain: Domain, now: Instant) -> tuple[int, float]:
        """How many wait, and how old the oldest is in seconds, as far as a few files tell."""
        inbox = self._layout.inbox(domain)
        ids = [name[:-3] for name in self._files.list(inbox) if name.endswith(".md") and EnvelopeId.is_id(name[:-3])]
        age_s = 0.0
        since = "-"
        # Ids begin with a time. It is the sender's word, but what counts is in the file.
        for id in ids[:_OLDEST_TRIES]:
            urgency = self._urgency(domain, inbox / f"{id}.md")
            if urgency is not None and urgency.is_ready(now) and not urgency.is_expired(now):
                age_s = urgency.age_nanos(now) / NANOS
                since = str(now.millis - int(age_s * 1_000))
                break
        if len(ids) >= _COUNT_SHARED_MIN:
            self._share(domain, f"{now.millis} {len(ids)} {since}?\n")
        return len(ids), age_s

    def _shared_count(self, domain: Domain, now: Instant) -> tuple[int, float] | None:
        """What another process counted just now."""
        try:
            tail, _ = self._files.read_part(self._counts(domain), -_COUNT_LINE_BYTES_MAX, _COUNT_LINE_BYTES_MAX)
            millis, depth, since = tail.decode(errors="replace").rpartition("\n")[0].rpartition("\n")[2].split(" ")
            if not 0 <= now.millis - int(millis) < _COUNT_FRESH_MS:
                return None
            oldest = since.removesuffix("?")
            return int(depth), 0.0 if oldest == "-" else max(0, now.millis - int(oldest)) / 1_000
        except (OSError, ValueError):
            return None

    def _share(self, domain: Domain, line: str) -> None:
        """Spares others the work."""
        counts = self._counts(domain)
        try:
            self._files.make_folder(counts.parent)
            with self._files.append(counts) as descriptor:
                write_line(descriptor, line.encode())
            status = self._files.stat(counts)
            if status is not None and status.st_size > _COUNTS_BYTES_MAX:
                self._files.remove(counts)
        except OSError:
            # Then others count for themselves.
            pass

    def _counts(self, domain: Domain) -> Path:
        return self._layout.state(domain) / "depth"

    def _urgency(self, domain: Domain, file: Path) -> Urgency | None:
        status = self._files.stat(file)
        try:
            envelope = Envelope.parse(self._files.read(file, ENVELOPE_BYTES_MAX))
        except (OSError, MalformedEnvelope):
            return None
        if status is None:
            return None
        facts = self._history.read(domain, envelope.id)
        first_seen = facts.first_seen or Instant(status.st_ctime_ns)
        ttl_s, half_life = envelope.ttl.seconds, self._config.half_life
        parts = (envelope.id, envelope.priority, envelope.ts, first_seen, ttl_s, half_life)
        return Urgency(*parts, facts.attempts, facts.not_before)

    def _held(self, domain: Domain) -> str | None:
        """Why the inbox is under backpressure, as its mark says."""
        mark = self._layout.state(domain) / "backpressure"
        if self._files.stat(mark) is None:
            return None
        try:
            first = self._files.read(mark, _MARK_BYTES_MAX).decode(errors="replace").partition("\n")[0]
            cause = parse_json(first).get("cause")
            return "depth" if cause == "depth" else "age"
        except (OSError, ValueError, AttributeError):
            return "age"

    def _recent(self, domain: Domain, actor: Actor, now: Instant) -> list[Sent]:
        """What the sender put in lately: at least the last minute's."""
        ledger = self._layout.sender(domain, actor)
        oldest = Instant(now.nanos - _TAIL_AGE_S * NANOS)
        size = _TAIL_BYTES
        while True:
            try:
                tail, whole = self._files.read_part(ledger, -size, size)
            except FileNotFoundError:
                return []
            if len(tail) < whole:
                # It mostly begins within a line.
                tail = tail.partition(b"\n")[2]
            sent = _parse(tail)
            if size >= min(whole, _LEDGER_BYTES_MAX) or (sent and sent[0][1].at < oldest):
                return [one for _, one in sent]
            size *= 2

    def _all(self, domain: Domain, actor: Actor) -> list[tuple[EnvelopeId, Sent]]:
        try:
            ledger = self._layout.sender(domain, actor)
            return _parse(self._files.read_part(ledger, -_LEDGER_BYTES_MAX, _LEDGER_BYTES_MAX)[0])
        except FileNotFoundError:
            return []

    def _waiting(self, domain: Domain, actor: Actor) -> int:
        """How many of the sender's envelopes wait; below the limit only an upper bound, so that it costs nothing."""
        status = self._files.stat(self._layout.sender(domain, actor))
        bound = 0 if status is None else status.st_size // _LINE_BYTES_MIN
        if bound < self._config.sender.waiting_max:
            return bound
        ids = {id for id, _ in self._all(domain, actor)}
        if len(ids) < self._config.sender.waiting_max:
            return len(ids)
        names = frozenset(self._files.list(self._layout.inbox(domain)))
        return sum(f"{id}.md" in names for id in ids)

    def _answers(self, domain: Domain, actor: Actor, sent: list[Sent], now: Instant) -> int:
        """How much the inbox's owner sent to the sender in the last minute; none where nobody owns it."""
        _, dash, owner = domain.partition("-")
        owned = dash and domain.startswith(("user-", "worker-")) and owner != actor.file_name
        if not owned or _per_minute(sent, now) < PAIR_PER_MINUTE_MAX:
            return 0
        inboxes = (Domain(f"user-{actor.file_name}"), Domain(f"worker-{actor.file_name}"))
        return sum(_per_minute(self._recent(inbox, Actor(owner), now), now) for inbox in inboxes)


def _per_minute(sent: list[Sent], now: Instant) -> int:
    return sum(one.counts(now) for one in sent)


def _parse(ledger: bytes) -> list[tuple[EnvelopeId, Sent]]:
    sent = []
    for line in ledger.decode(errors="replace").split("\n"):
        try:
            millis, id, priority, hops = line.split(" ")
            one = Sent(Instant.of_millis(int(millis)), Priority.parse(priority), int(hops))
            sent.append((EnvelopeId(id), one))
        except ValueError:
            # A torn line: as if it had been lost.
            continue
    return sent
