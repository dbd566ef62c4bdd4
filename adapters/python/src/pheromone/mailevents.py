"""The events that each step in the life of a copy leaves."""

from __future__ import annotations

from dataclasses import dataclass

from pheromone.claimtoken import ClaimToken
from pheromone.envelope import Envelope
from pheromone.instant import Instant
from pheromone.life import Step
from pheromone.rse import Event, Json
from pheromone.values import Actor, Domain, Priority, format_duration


def dropped(envelope: Envelope, now: Instant) -> Event:
    """The signal that announces mail."""
    data = _signal(envelope, envelope.priority)
    if envelope.tags:
        data["tags"] = list(envelope.tags)
    return event(now, "pheromone_drop", envelope, envelope.from_, data)


def emitted(envelope: Envelope, inbox: Domain, location: str, now: Instant) -> Event:
    """A copy has come into an inbox."""
    data: dict[str, Json] = {
        "id": envelope.id,
        "to": list(envelope.to),
        "priority": envelope.priority.value,
        "ttl": envelope.ttl,
        "path": location,
        "hash": envelope.hash,
        "inbox": inbox,
    }
    return event(now, "rsm_envelope_emit", envelope, envelope.from_, data)


@dataclass(frozen=True)
class MailEvents:
    """The events of a copy in an inbox, of which ``actor`` tells; without an envelope it can't be read.

    What has no id goes by its name in the archive.
    """

    actor: Actor
    inbox: Domain
    id: str
    envelope: Envelope | None

    def claimed(self, envelope: Envelope, claim: ClaimToken, rationale: str, is_first: bool) -> list[Event]:
        """Somebody got a claim."""
        at, worker, attempt = claim.claimed_at, claim.worker, claim.attempt
        events = [event(at, "pheromone_sense", envelope, worker, {"ref": envelope.id})]
        if is_first:
            data: dict[str, Json] = {"id": envelope.id, "from": envelope.from_, "inbox": self.inbox}
            data.update(hash=envelope.hash, attempt=attempt)
            events.append(event(at, "rsm_envelope_recv", envelope, worker, data))
        selected: dict[str, Json] = {"basis": "inbox", "id": envelope.id, "rationale": rationale}
        selected.update(inbox=self.inbox, attempt=attempt)
        spawned: dict[str, Json] = {"name": worker}
        if envelope.scope:
            spawned["scope"] = envelope.scope
        spawned.update(ttl=format_duration(claim.lease_s), parent=self.actor, ref=envelope.id)
        events.append(event(at, "queen_select", envelope, worker, selected))
        events.append(event(at, "worker_spawn", envelope, worker, spawned))
        return events

    def of(self, step: Step, now: Instant) -> list[Event]:
        """What a step leaves; of a claim only ``claimed`` tells, which knows why this copy was chosen."""
        life = step.life
        if step.kind == "accepted":
            return [self._acknowledged("accepted", step.attempt, step.note, now)]
        if step.kind == "ended":
            return [self._ended(life.state, life.note, now)]
        if step.kind != "closed":
            return []
        events = []
        if step.closing == "failed":
            events.append(self._acknowledged("error", step.attempt, life.note, now))
        if life.state == "done":
            events.append(self._acknowledged("done", step.attempt, life.note, now))
        elif life.state != "waiting":
            events.append(self._ended(life.state, life.note, now))
        else:
            data: dict[str, Json] = {"id": self.id, "inbox": self.inbox, "attempt": step.attempt}
            events.append(self._event(now, "rsm_envelope_return", {**data, "reason": step.closing}))
            if step.closing != "released" and self.envelope is not None:
                events.append(self._retried(self.envelope, step, now))
        return events

    def _retried(self, envelope: Envelope, step: Step, now: Instant) -> Event:
        """The signal again, weaker, with what is known of the failure."""
        lower = list(Priority)[min(3, envelope.priority.rank + step.attempt)]
        data = {**_signal(envelope, lower), "attempt": step.attempt, "retry_in_s": step.pause_s}
        return self._event(now, "pheromone_drop", {**data, "context": step.life.note} if step.life.note else data)

    def _acknowledged(self, status: str, attempt: int, note: str, now: Instant) -> Event:
        data: dict[str, Json] = {"ref": self.id, "status": status}
        if note:
            data["notes"] = note
        return self._event(now, "worker_ack", {**data, "inbox": self.inbox, "attempt": attempt})

    def _ended(self, state: str, reason: str, now: Instant) -> Event:
        kind = "pheromone_expire" if state == "expired" else f"rsm_envelope_{state}"
        data: dict[str, Json] = {"id": self.id, "inbox": self.inbox}
        return self._event(now, kind, {**data, "reason": reason} if state in ("dead", "conflict") else data)

    def _event(self, now: Instant, kind: str, data: dict[str, Json]) -> Event:
        return event(now, kind, self.envelope, self.actor, data)


def event(ts: Instant, kind: str, envelope: Envelope | None, actor: Actor, data: dict[str, Json]) -> Event:
    """An event about a copy, which goes no further than the mail it speaks of."""
    # What can't be read has no lane; its inbox is a matter of operations.
    if envelope is None:
        return Event(ts, kind, "Ops", actor, data)
    return Event(ts, kind, envelope.lane, actor, {**data, "consent": envelope.consent.value})


def _signal(envelope: Envelope, priority: Priority) -> dict[str, Json]:
    return {"topic": envelope.topic, "priority": priority.value, "ref": envelope.id, "ttl": envelope.ttl}
