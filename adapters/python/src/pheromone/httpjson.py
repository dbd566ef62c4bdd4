"""What a server's JSON means, as the values that a hive on the disk gives."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pheromone.claim import Claim, Keeper
from pheromone.claims import Settlement
from pheromone.envelope import Envelope
from pheromone.httpcalls import HttpProblem
from pheromone.instant import Instant
from pheromone.postoffice import Copy, Receipt
from pheromone.rse import Event, read_events, to_json
from pheromone.trust import SignatureCheck
from pheromone.values import Address, ContentHash, Domain, EnvelopeId, KeyId, Priority

T = TypeVar("T")
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Waiting:
    """An envelope that waits in an inbox, with its class as time and failures have left it."""

    id: EnvelopeId
    topic: str
    from_: str
    lane: str
    priority: Priority
    effective: Priority
    age_s: int
    expires_in_s: int
    attempt: int
    first_seen: Instant
    question: bool
    answer: bool


@dataclass(frozen=True)
class Letter:
    """An envelope, and how far it has got: ``waiting``, ``active``, ``done``, ``expired``, ``dead`` and so on."""

    envelope: Envelope
    inbox: Domain
    state: str


@dataclass(frozen=True)
class Page:
    """A part of the event log. ``cursor`` is where the next begins, and ``more`` whether there is one by now.

    ``restarted`` is set if the log is not the one that the cursor was from: then this is its beginning.
    """

    events: tuple[Event, ...]
    bad: tuple[str, ...]
    cursor: str
    more: bool
    restarted: bool


def understood(what: str, read: Callable[[], T]) -> T:
    """What ``read`` makes of an answer; a server that says something else failed."""
    try:
        return read()
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as e:
        raise HttpProblem(200, {"detail": f"found no {what} in it, expected one ({type(e).__name__})"}) from e


def receipt(body: Body, location: str) -> Receipt:
    copies = tuple(_copy(one, location) for one in body["to"])
    waited_s, waited_for = float(body.get("waited_s", 0)), str(body.get("waited_for", ""))
    return Receipt(EnvelopeId(body["id"]), ContentHash(body["hash"]), copies, waited_s, waited_for)


def _copy(body: Body, location: str) -> Copy:
    said = str(body["state"])
    state = {"advisory": "withheld", "outbox": "parked"}.get(said, said)
    if said == "delivered" and not body["confirmed"]:
        state = "unconfirmed"
    return Copy(
        Address(body["address"]),
        Domain(body["inbox"]),
        state,
        "" if said in ("withheld", "refused", "failed") else location,
        body.get("reason", ""),
        body.get("retry_after_s", 0),
    )


def claim(hive: Keeper, body: Body, location: str) -> Claim:
    return Claim(
        hive,
        Domain(body["inbox"]),
        body["claim"],
        int(body["attempt"]),
        Instant.parse(body["lease_ends_at"]),
        _envelope(body),
        _check(body),
        body["rationale"],
        location,
    )


def _envelope(body: Body) -> Envelope:
    # The bytes alone count: the fields beside them are for programs that can't read envelopes.
    return Envelope.parse(base64.b64decode(body["envelope"], validate=True))


def _check(body: Body) -> SignatureCheck:
    kid = body.get("kid")
    return SignatureCheck(
        body["signature"],
        None if kid is None else KeyId(kid),
        body.get("reason", ""),
        bool(body.get("human", False)),
    )


def settlement(body: Body, location: str) -> Settlement:
    state, reason = body["state"], body.get("reason", "")
    if state in ("advisory", "withheld"):
        return Settlement("withheld", reason, location if state == "advisory" else "")
    if body.get("confirmed") is False:
        return Settlement(state, "committed, durability unknown")
    return Settlement(state, reason)


def waiting(body: Body) -> list[Waiting]:
    return [
        Waiting(
            EnvelopeId(item["id"]),
            item["topic"],
            item["from"],
            item["lane"],
            Priority.parse(item["priority"]),
            Priority.parse(item["effective"]),
            int(item["age_s"]),
            int(item["expires_in_s"]),
            int(item["attempt"]),
            Instant.parse(item["first_seen_at"]),
            # A server of an earlier version does not tell: it may be either.
            bool(item.get("question", True)),
            bool(item.get("answer", True)),
        )
        for item in body["items"]
        if "bad" not in item
    ]


def letter(body: Body) -> Letter:
    return Letter(_envelope(body), Domain(body["inbox"]), body["state"])


def event(line: bytes) -> Event:
    """The one event of a line that the server wrote."""
    (read,) = read_events(line).events
    return read


def page(text: bytes) -> Page:
    """A page of the feed: events, notes on lines that are none, and last where to go on."""
    lines = text.rstrip(b"\n").split(b"\n")
    end = json.loads(lines.pop())
    events: list[Event] = []
    bad: list[str] = []
    restarted = False
    for line in lines:
        if line.startswith(b'{"restart":'):
            events, bad, restarted = [], [], True
        elif line.startswith(b'{"bad":'):
            bad.append(str(json.loads(line)["reason"]))
        else:
            events.append(event(line))
    return Page(tuple(events), tuple(bad), end["cursor"], bool(end["more"]), restarted)


def json_bytes(**fields: Any) -> bytes:
    return to_json(fields).encode()
