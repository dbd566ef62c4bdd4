"""Tells the event log what happened."""

from __future__ import annotations

from pheromone import mailevents
from pheromone.claimtoken import ClaimToken
from pheromone.envelope import Envelope
from pheromone.eventlog import Telling
from pheromone.guard import Withheld
from pheromone.instant import Instant
from pheromone.life import Step
from pheromone.mailevents import MailEvents
from pheromone.rse import Event, Json
from pheromone.values import Actor, Domain

_PROBLEMS_MAX = 100


class Journal:
    """Tells what happened. What was done is not undone by a log that can't be written; it becomes a problem."""

    def __init__(self, telling: Telling, actor: Actor) -> None:
        self._telling = telling
        self._actor = actor
        self.problems: list[str] = []

    def dropped(self, envelope: Envelope, now: Instant) -> None:
        self._tell(mailevents.dropped(envelope, now))

    def emitted(self, envelope: Envelope, inbox: Domain, location: str, now: Instant) -> None:
        # The mail itself proves it: the first rsm after a power cut tells it again.
        self._tell(mailevents.emitted(envelope, inbox, location, now), durable=False)

    def parked(self, envelope: Envelope, inbox: Domain, location: str, until: Instant, now: Instant) -> None:
        data: dict[str, Json] = {"id": envelope.id, "from": envelope.from_, "inbox": inbox, "path": location}
        data["until"] = str(until)
        self._tell(mailevents.event(now, "rsm_envelope_park", envelope, self._actor, data))

    def refused(self, inbox: Domain, sender: Actor, count: int, since: Instant, reason: str, now: Instant) -> None:
        data: dict[str, Json] = {"sender": sender, "inbox": inbox, "count": count, "since": str(since), "reason": reason}
        self._tell(mailevents.event(now, "sender_refused", None, self._actor, data))

    def claimed(self, envelope: Envelope, inbox: Domain, claim: ClaimToken, rationale: str, is_first: bool) -> None:
        events = MailEvents(self._actor, inbox, envelope.id, envelope).claimed(envelope, claim, rationale, is_first)
        self._tell(*events)

    def took(self, step: Step, inbox: Domain, id: str, envelope: Envelope | None, now: Instant) -> None:
        """Tells of any other step in the life of a copy. That it is done the archive proves."""
        events = MailEvents(self._actor, inbox, id, envelope).of(step, now)
        self._tell(*events, durable=step.life.state != "done")

    def trouble(self, what: str, error: OSError) -> None:
        problem = f"{what}: {error.strerror or error}"
        if len(self.problems) < _PROBLEMS_MAX and problem not in self.problems:
            self.problems.append(problem)

    def _tell(self, *events: Event, durable: bool | None = None) -> None:
        try:
            self._telling.tell(*events, durable=durable)
        except Withheld as e:
            self.trouble("event log", OSError(str(e)))
        except OSError as e:
            self.trouble("event log", e)
