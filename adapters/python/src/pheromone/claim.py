"""A claim: the right to work on a copy for a time, whichever way it was taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pheromone.claims import Settlement
from pheromone.envelope import HOPS_MAX, TOPIC_LENGTH_MAX, Envelope
from pheromone.instant import Instant
from pheromone.question import answer_to
from pheromone.trust import SignatureCheck
from pheromone.values import Consent, Domain, EnvelopeId


class Keeper(Protocol):
    """Whoever a claim was taken from, and is settled with: a hive on the disk, or one that is served."""

    def reply(self, claim: Claim, body: str | bytes, **more: Any) -> Envelope: ...

    def ack(self, claim: Claim | str, note: str = "") -> Settlement: ...

    def fail(self, claim: Claim | str, note: str) -> Settlement: ...

    def release(self, claim: Claim | str, note: str = "") -> Settlement: ...

    def renew(self, claim: Claim | str) -> Settlement: ...


@dataclass(frozen=True)
class Claim:
    """The right to work on a copy, for a time. Act on ``envelope`` only: it was read once, and verified.

    ``token`` names the claim to whoever ends it, here or in another program. ``attempt`` says how often the copy has
    been taken; what was given back unharmed does not count.
    """

    hive: Keeper = field(repr=False)
    inbox: Domain
    token: str
    attempt: int
    lease_ends_at: Instant
    envelope: Envelope
    check: SignatureCheck
    rationale: str
    path: str

    def reply(self, body: str | bytes, **more: Any) -> Envelope:
        """The one answer that this work makes, to be sent before it is acknowledged."""
        return self.hive.reply(self, body, **more)

    def ack(self, note: str = "") -> Settlement:
        return self.hive.ack(self, note)

    def fail(self, note: str) -> Settlement:
        return self.hive.fail(self, note)

    def release(self, note: str = "") -> Settlement:
        return self.hive.release(self, note)

    def renew(self) -> Settlement:
        return self.hive.renew(self)


def reply_fields(claim: Claim, body: str | bytes, more: Mapping[str, Any]) -> dict[str, Any]:
    """What the one answer to a claim's envelope says, with what its writer says, ``more``; not where it goes.

    It goes no further than the request unless its writer says so, and takes no private topic along.
    """
    # Of nothing but the copy, so that work done again after a crash can't answer twice.
    id = EnvelopeId.of_reply(claim.envelope.id, claim.inbox)
    return {**reply_to(claim.envelope, body, more), "id": id, **more}


def reply_to(request: Envelope, body: str | bytes, more: Mapping[str, Any]) -> dict[str, Any]:
    """What a reply to a request says, with what its writer says, ``more``; not where it goes."""
    usual = Consent.PRIVATE if request.consent is Consent.PRIVATE else Consent.TEAM
    consent = Consent.parse(more.get("consent", usual.value))
    if request.hops >= HOPS_MAX:
        raise ValueError(f"envelope {request.id} is answer number {request.hops} in a row, expected fewer")
    topic = request.topic if request.topic.startswith("Re: ") else f"Re: {request.topic}"
    if not request.consent.covers(consent):
        topic = "Re: your mail"
    return {
        # None where the request asks nothing, or the body is no answer to it.
        "answer": answer_to(request, body),
        "topic": topic[:TOPIC_LENGTH_MAX],
        "consent": consent.value,
        "lane": request.lane,
        "priority": request.priority.value,
        "correlation_id": request.id,
        "hops": request.hops + 1,
        **more,
    }
