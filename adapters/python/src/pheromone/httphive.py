"""A hive that another process serves over HTTP, used as one on this machine's disk is."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pheromone import httpjson
from pheromone.claim import Claim
from pheromone.claims import Settlement
from pheromone.composer import Composer
from pheromone.envelope import Envelope
from pheromone.eventstream import EventStream
from pheromone.hive import NoSuchInbox, require_sendable
from pheromone.httpcalls import Answer, HttpProblem, Server, Unreachable
from pheromone.httpjson import Letter, Page, Waiting, json_bytes, understood
from pheromone.instant import Instant
from pheromone.postoffice import Receipt
from pheromone.question import Question, QuestionState, StoredAnswer
from pheromone.rse import Reading
from pheromone.trust import TrustList
from pheromone.values import Actor, Address, Domain, EnvelopeId, Reach

_JSON = "application/json"
_TIMEOUT_S = 60.0
_TRIES_MAX = 4
_GIVE_UP_S = 300.0

# How long one call waits for mail: who waits longer asks again.
_WAIT_S_MAX = 20.0
_PAUSE_S = 0.2
_PAGE_EVENTS_MAX = 10_000

# How much waiting mail is looked through for answers.
_ANSWERS_MAX = 1_000


class HttpHive(Composer):
    """The hive that is served at ``url``, in the name of ``actor``. Safe for several threads.

    ``token`` or ``token_file`` is what ``rsm serve`` wants to be shown, ``ca_file`` the certificate of whoever vouches
    for a server that the platform does not know. ``timeout_s`` is how long one answer may take. ``reach`` says how far
    mail goes by this way: the team on this machine, everybody beyond, unless you know better.

    Calls that may be repeated are, a few times. After that, or where it would not be safe, ``Unreachable`` is raised:
    whether the server did it is not known then. What it refuses is an ``HttpProblem``. Both are ``OSError``.
    """

    def __init__(
        self,
        url: str,
        actor: str,
        *,
        token: str | None = None,
        token_file: Path | str | None = None,
        ca_file: Path | str | None = None,
        timeout_s: float = _TIMEOUT_S,
        tries_max: int = _TRIES_MAX,
        reach: str | None = None,
        from_origin: str = "flag",
    ) -> None:
        if token is not None and token_file is not None:
            raise ValueError("token, token_file: found both, expected one")
        shown = Path(token_file).read_text("ascii").strip() if token_file is not None else token
        self.actor = Actor(actor)
        self._from_origin = from_origin
        self._server = Server(url, shown, None if ca_file is None else str(ca_file), timeout_s, tries_max)
        self._reach = self._server.reach() if reach is None else Reach(reach)

    def __repr__(self) -> str:
        # Never the token.
        return f"HttpHive({self._server.url!r}, {str(self.actor)!r})"

    def _address_of(self, actor: Actor) -> Address:
        worker, user = (Address(f"{scheme}://{actor.file_name}") for scheme in ("worker", "user"))
        known = self.inboxes()
        return user if user.inbox in known and worker.inbox not in known else worker

    def write(self, *, to: str | Iterable[str], topic: str, body: str | bytes = b"", **more: Any) -> Envelope:
        """A new envelope from this actor; takes what ``Envelope.write`` does."""
        given: dict[str, Any] = {"from_": self.actor, "from_origin": self._from_origin, **more}
        return Envelope.write(to=to, topic=topic, body=body, **given)

    def send(self, envelope: Envelope) -> Receipt:
        """Sends an envelope: a copy that is ``delivered`` is on the server's disk.

        The same bytes are sent again where an answer was lost: what had arrived is then a ``duplicate``. Raises
        ``NoSuchInbox`` before anything is sent, and ``ValueError`` for mail that the server can't take, that may not
        go so far, or that is public and holds what must not be.
        """
        require_sendable(envelope)
        if not envelope.consent.allows(self._reach):
            consent, reach = envelope.consent.value, self._reach.value
            raise ValueError(f"envelope {envelope.id}: consent is {consent}, and this way reaches {reach}")
        answer = self._server.post("/v1/envelopes", "text/markdown", envelope.raw, repeat=True)
        if answer.body.get("code") == "not_public":
            # The server says by kind what it found, and has stored nothing.
            raise ValueError(f"envelope {envelope.id}: {answer.body.get('detail')}")
        # What became of each copy is told with refusals too.
        if "to" not in answer.body:
            raise _problem(answer)
        return understood("receipt", lambda: httpjson.receipt(answer.body, self._location(envelope.id)))

    def question(self, question: Envelope | str, *, trust: TrustList = TrustList()) -> QuestionState | None:
        """What a question has come to, by the answers that wait; None if it asks nothing, or can't be seen from here.

        A server shows what waits, and not what was taken: an answer that somebody has taken is not met any more. It
        does not lend its keys either, so that a signed answer counts only if ``trust`` has its key. Who took a question
        of a domain is not told: an answer of any actor counts there.
        """
        if not isinstance(question, Envelope):
            letter = self.read(question)
            return None if letter is None else self.question(letter.envelope, trust=trust)
        asked = Question.of_envelope(question)
        if asked is None:
            return None
        answers = []
        for item in self.waiting((question.reply_to or self._address_of(question.from_)).inbox, limit=_ANSWERS_MAX):
            letter = self.read(item.id) if item.answer else None
            mail = None if letter is None else letter.envelope
            if mail is not None and mail.correlation_id == asked.id and mail.answer is not None:
                at = item.first_seen
                check = trust.check(mail, at)
                answers.append(StoredAnswer(mail.id, mail.from_, mail.answer, at, mail.hash_matches, check, True))
        return asked.look(answers, trust.has_key, Instant.now())

    def recv(self, inbox: str, *, lease_s: int | None = None, wait_s: float = 0.0) -> Iterator[Claim]:
        """Claims one copy after the other, the most urgent first; ends when nothing is ready for ``wait_s``.

        While it waits it goes on through restarts of the server. Raises ``Withheld`` under a lock.
        """
        end = time.monotonic() + wait_s
        while True:
            left_s = max(0.0, end - time.monotonic())
            try:
                claim = self.select(inbox, lease_s=lease_s, wait_s=min(_WAIT_S_MAX, left_s))
            except Unreachable:
                if left_s == 0.0:
                    raise
                time.sleep(min(_PAUSE_S, left_s))
                continue
            if claim is not None:
                yield claim
                end = time.monotonic() + wait_s
            elif left_s == 0.0:
                return

    def select(self, inbox: str, *, lease_s: int | None = None, wait_s: float = 0.0) -> Claim | None:
        """Claims the most urgent copy that is ready, waited for at most ``wait_s``; None if there is none.

        Not repeated when the answer is lost: then the copy returns when its lease is over, 30 minutes unless said
        otherwise, so that a worker far away takes short leases and renews them.
        """
        domain = _domain(inbox)
        wish = {"worker": str(self.actor), "wait_s": wait_s, **({} if lease_s is None else {"lease_s": lease_s})}
        answer = self._server.post(
            f"/v1/inboxes/{domain}/select", _JSON, json_bytes(**wish), repeat=False, wait_s=wait_s
        )
        if answer.status == 204:
            return None
        body = _ok(answer).body
        return understood("claim", lambda: httpjson.claim(self, body, self._location(body["id"])))

    def ack(self, claim: Claim | str, note: str = "") -> Settlement:
        """The work is done: once this says ``done``, the same mail never has an effect again."""
        return self._settle(claim, "ack", status="done", note=note)

    def fail(self, claim: Claim | str, note: str) -> Settlement:
        """The work failed: the copy comes back after a pause, a class lower, until its attempts are used up."""
        return self._settle(claim, "ack", status="error", note=note)

    def release(self, claim: Claim | str, note: str = "") -> Settlement:
        """Gives the copy back unharmed: that does not count as a failure."""
        return self._settle(claim, "release", note=note)

    def renew(self, claim: Claim | str) -> Settlement:
        """Begins the lease anew."""
        return self._settle(claim, "ack", status="accepted", heartbeat=True)

    def inboxes(self) -> list[Domain]:
        """The inboxes there are, by name."""
        body = _ok(self._server.get("/v1/inboxes")).body
        return understood("list of inboxes", lambda: [Domain(item["inbox"]) for item in body["items"]])

    def waiting(self, inbox: str, *, limit: int = 100) -> list[Waiting]:
        """What waits in an inbox, in the order in which it would be taken; a look, which changes nothing."""
        body = _ok(self._server.get(f"/v1/inboxes/{_domain(inbox)}?limit={limit:d}")).body
        return understood("inbox", lambda: httpjson.waiting(body))

    def read(self, id: str) -> Letter | None:
        """An envelope, wherever it is in its life; None if none has this id, or it may not be seen from here."""
        answer = self._server.get(f"/v1/envelopes/{EnvelopeId(id)}")
        if answer.status == 404:
            return None
        body = _ok(answer).body
        return understood("envelope", lambda: httpjson.letter(body))

    def events(self) -> Reading:
        """All that is in the hive's event log."""
        reading = Reading()
        cursor, more = "0", True
        while more:
            page = self.feed(cursor)
            if page.restarted:
                reading = Reading()
            reading.events += page.events
            reading.bad += page.bad
            cursor, more = page.cursor, page.more
        return reading

    def feed(self, after: str = "0", *, limit: int = _PAGE_EVENTS_MAX) -> Page:
        """A page of the event log from the cursor ``after`` on; the page has the one to go on from."""
        answer = _ok(self._server.get(f"/rse/feed?after={quote(after, safe='')}&limit={limit:d}"))
        return understood("page of events", lambda: httpjson.page(answer.text))

    def follow(self, after: str | None = None, *, give_up_s: float = _GIVE_UP_S) -> EventStream:
        """The event log as it grows, from the cursor ``after`` on, or from now on. Nothing is missed once it is there.

        It comes back by itself after an interruption, for up to ``give_up_s``; then ``Unreachable`` is raised.
        """
        return EventStream(self._server, after, give_up_s)

    def _location(self, id: str) -> str:
        return f"{self._server.url}/v1/envelopes/{id}"

    def _settle(self, claim: Claim | str, verb: str, **fields: str | bool) -> Settlement:
        token = claim.token if isinstance(claim, Claim) else claim
        path = f"/v1/claims/{quote(token, safe='')}"
        # The server knows what it heard before, and says the same again.
        answer = self._server.post(f"{path}/{verb}", _JSON, json_bytes(**fields), repeat=True)
        if "state" not in answer.body:
            raise _problem(answer)
        return understood("end of a claim", lambda: httpjson.settlement(answer.body, f"{self._server.url}{path}"))


def _domain(inbox: str) -> Domain:
    return Address(inbox).inbox if "://" in inbox else Domain(inbox)


def _ok(answer: Answer) -> Answer:
    if answer.is_ok:
        return answer
    raise _problem(answer)


def _problem(answer: Answer) -> Exception:
    found = answer.problem()
    if isinstance(found, HttpProblem) and found.code == "no_such_inbox":
        known = ", ".join(str(name) for name in found.more.get("known", ()))
        return NoSuchInbox(f"inbox: found no {found.more.get('address')} in this hive, expected one of {known}")
    return found
