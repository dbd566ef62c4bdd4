"""The events of an envelope's life, each told once."""

from __future__ import annotations

from pheromone.claimname import ClaimName
from pheromone.envelope import Envelope
from pheromone.eventlog import Telling
from pheromone.instant import Instant
from pheromone.guard import Withheld
from pheromone.rse import Event, Json
from pheromone.values import Actor, Domain, Priority, format_duration

_PROBLEMS_MAX = 100


class Journal:
    """Tells what happened. What was done is not undone by a log that can't be written; it becomes a problem."""

    def __init__(self, telling: Telling, actor: Actor) -> None:
        self._telling = telling
        self._actor = actor
        self.problems: list[str] = []

    def dropped(self, envelope: Envelope, now: Instant) -> None:
        self._tell(_event(now, "pheromone_drop", envelope, envelope.from_, _drop(envelope, envelope.priority)))

    def emitted(self, envelope: Envelope, inbox: Domain, location: str, now: Instant) -> None:
        data = {
            "id": envelope.id,
            "to": list(envelope.to),
            "priority": envelope.priority.value,
            "ttl": envelope.ttl,
            "path": location,
            "hash": envelope.hash,
            "inbox": inbox,
        }
        self._tell(_event(now, "rsm_envelope_emit", envelope, envelope.from_, data))

    def parked(self, envelope: Envelope, inbox: Domain, location: str, until: Instant, now: Instant) -> None:
        data: dict[str, Json] = {"id": envelope.id, "from": envelope.from_, "inbox": inbox, "path": location}
        self._tell(_event(now, "rsm_envelope_park", envelope, self._actor, {**data, "until": str(until)}))

    def refused(self, inbox: Domain, sender: Actor, count: int, since: Instant, reason: str, now: Instant) -> None:
        data: dict[str, Json] = {"sender": sender, "inbox": inbox, "count": count, "since": str(since), "reason": reason}
        self._tell(_event(now, "sender_refused", None, self._actor, data))

    def claimed(self, envelope: Envelope, inbox: Domain, claim: ClaimName, rationale: str, first: bool) -> None:
        at, worker = claim.claimed_at, claim.worker
        copy: dict[str, Json] = {"inbox": inbox, "attempt": claim.attempt}
        events = [_event(at, "pheromone_sense", envelope, worker, {"ref": envelope.id})]
        if first:
            data: dict[str, Json] = {"id": envelope.id, "from": envelope.from_, "inbox": inbox, "hash": envelope.hash}
            events.append(_event(at, "rsm_envelope_recv", envelope, worker, {**data, "attempt": claim.attempt}))
        selected: dict[str, Json] = {"basis": "inbox", "id": envelope.id, "rationale": rationale, **copy}
        spawned: dict[str, Json] = {"name": worker}
        if envelope.scope:
            spawned["scope"] = envelope.scope
        spawned.update(ttl=format_duration(claim.lease_s), parent=self._actor, ref=envelope.id)
        events.append(_event(at, "queen_select", envelope, worker, selected))
        events.append(_event(at, "worker_spawn", envelope, worker, spawned))
        self._tell(*events)

    def acknowledged(
        self, envelope: Envelope | None, inbox: Domain, claim: ClaimName, status: str, note: str, now: Instant
    ) -> None:
        data: dict[str, Json] = {"ref": claim.id, "status": status}
        if note:
            data["notes"] = note
        data.update(inbox=inbox, attempt=claim.attempt)
        self._tell(_event(now, "worker_ack", envelope, self._actor, data))

    def returned(
        self,
        envelope: Envelope | None,
        inbox: Domain,
        claim: ClaimName,
        reason: str,
        note: str,
        pause_s: int,
        now: Instant,
    ) -> None:
        data = {"id": claim.id, "inbox": inbox, "attempt": claim.attempt, "reason": reason}
        events = [_event(now, "rsm_envelope_return", envelope, self._actor, data)]
        if reason != "released" and envelope is not None:
            # The signal again, weaker, with what is known of the failure.
            lower = list(Priority)[min(3, envelope.priority.rank + claim.attempt)]
            drop: dict[str, Json] = {**_drop(envelope, lower), "attempt": claim.attempt, "retry_in_s": pause_s}
            if note:
                drop["context"] = note
            events.append(_event(now, "pheromone_drop", envelope, self._actor, drop))
        self._tell(*events, durable=True)

    def ended(
        self, envelope: Envelope | None, inbox: Domain, claim: ClaimName, state: str, reason: str, now: Instant
    ) -> None:
        """A copy went to the archive without anybody's work on it."""
        kind = "pheromone_expire" if state == "expired" else f"rsm_envelope_{state}"
        data = {"id": claim.id, "inbox": inbox, **({"reason": reason} if state in ("dead", "conflict") else {})}
        self._tell(_event(now, kind, envelope, self._actor, data), durable=True)

    def trouble(self, what: str, error: OSError) -> None:
        problem = f"{what}: {error.strerror or error}"
        if len(self.problems) < _PROBLEMS_MAX and problem not in self.problems:
            self.problems.append(problem)

    def _tell(self, *events: Event, durable: bool = False) -> None:
        try:
            self._telling.tell(*events, durable=durable)
        except Withheld as e:
            self.trouble("event log", OSError(str(e)))
        except OSError as e:
            self.trouble("event log", e)


def _drop(envelope: Envelope, priority: Priority) -> dict[str, Json]:
    data: dict[str, Json] = {"topic": envelope.topic, "priority": priority.value}
    data.update(ref=envelope.id, ttl=envelope.ttl)
    return {**data, "tags": list(envelope.tags)} if envelope.tags and priority is envelope.priority else data


def _event(ts: Instant, kind: str, envelope: Envelope | None, actor: Actor, data: dict[str, Json]) -> Event:
    # What can't be read has no lane; its inbox is a matter of operations.
    if envelope is None:
        return Event(ts, kind, "Ops", actor, data)
    # An event goes no further than the mail it speaks of.
    return Event(ts, kind, envelope.lane, actor, {**data, "consent": envelope.consent.value})
