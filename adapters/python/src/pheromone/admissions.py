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
_CLEARING_BYTES_MIN = 64 * 1024
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
            sent = self._sent(domain, envelope.from_)
            waiting = self._waiting(domain, sent)
            answers = self._answers(domain, envelope.from_, sent, now)
            history = [one for _, one in sent]
            objection = self._config.sender.admit(envelope.priority, envelope.hops, history, waiting, answers, now)
            if objection.is_refused:
                return replace(objection, by_sender=True)
            if self.muted_until(envelope.from_, now) is not None:
                # It is put aside, where no inbox is too full.
                return Admission()
            minute = Instant(now.nanos - 60 * NANOS)
            return self._pressing(domain, envelope.priority, sum(one.at > minute for one in history), now)
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
            if status is not None and status.st_size > _CLEARING_BYTES_MIN:
                self._clear(ledger, domain, envelope.from_, now)
        except OSError:
            # A count that is lost makes us lenient for once.
            pass

    def _clear(self, ledger: Path, domain: Domain, actor: Actor, now: Instant) -> None:
        """Keeps what is younger than a minute or still waits. A line that is added meanwhile may be lost."""
        minute = Instant(now.nanos - 60 * NANOS)
        names = frozenset(self._files.list(self._layout.inbox(domain)))
        kept = [
            f"{one.at.millis} {id} {one.priority.value} {one.hops}\n"
            for id, one in self._sent(domain, actor)
            if one.at > minute or f"{id}.md" in names
        ]
        draft = ledger.parent / f".{ledger.name}.{random_tag(8)}"
        self._files.create(draft, "".join(kept).encode())
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
        inbox = self._layout.inbox(domain)
        ids = [name[:-3] for name in self._files.list(inbox) if name.endswith(".md") and EnvelopeId.is_id(name[:-3])]
        age_s = 0.0
        # Ids begin with a time. It is the sender's word, but what counts is in the file.
        for id in ids[:_OLDEST_TRIES]:
            urgency = self._urgency(domain, inbox / f"{id}.md")
            if urgency is not None and urgency.is_ready(now) and not urgency.is_expired(now):
                age_s = urgency.age_nanos(now) / NANOS
                break
        return self._config.pressure.admit(priority, domain, self._held(domain), len(ids), age_s, sent)

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

    def _sent(self, domain: Domain, actor: Actor) -> list[tuple[EnvelopeId, Sent]]:
        try:
            text = self._files.read(self._layout.sender(domain, actor), _LEDGER_BYTES_MAX).decode(errors="replace")
        except FileNotFoundError:
            return []
        sent = []
        for line in text.split("\n"):
            parts = line.split(" ")
            try:
                millis, id, priority, hops = parts
                one = Sent(Instant.of_millis(int(millis)), Priority.parse(priority), int(hops))
                sent.append((EnvelopeId(id), one))
            except ValueError:
                # A torn line: as if it had been lost.
                continue
        return sent

    def _waiting(self, domain: Domain, sent: list[tuple[EnvelopeId, Sent]]) -> int:
        """How many of these wait; below the limit only an upper bound, so that it costs nothing."""
        ids = {id for id, _ in sent}
        if len(ids) < self._config.sender.waiting_max:
            return len(ids)
        names = frozenset(self._files.list(self._layout.inbox(domain)))
        return sum(f"{id}.md" in names for id in ids)

    def _answers(self, domain: Domain, actor: Actor, sent: list[tuple[EnvelopeId, Sent]], now: Instant) -> int:
        """How much the inbox's owner sent to the sender in the last minute; none where nobody owns it."""
        minute = Instant(now.nanos - 60 * NANOS)
        _, dash, owner = domain.partition("-")
        owned = dash and domain.startswith(("user-", "worker-")) and owner != actor.file_name
        if not owned or sum(one.at > minute for _, one in sent) < PAIR_PER_MINUTE_MAX:
            return 0
        inboxes = (Domain(f"user-{actor.file_name}"), Domain(f"worker-{actor.file_name}"))
        return sum(one.at > minute for inbox in inboxes for _, one in self._sent(inbox, Actor(owner)))
