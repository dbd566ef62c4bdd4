"""The life of one copy, as a pure state machine: what may happen to the copy, what becomes of it, and why.

The folders of a hive keep lives as names and links; nothing else here decides again what is decided here. Time, limits
and trust are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from pheromone.claimtoken import ClaimToken
from pheromone.config import HiveConfig
from pheromone.envelope import Envelope
from pheromone.instant import Instant
from pheromone.trust import SignatureCheck
from pheromone.urgency import AHEAD_S_MAX
from pheromone.values import Domain, EnvelopeId, Ttl


class Why(Enum):
    """Why a copy ended, or was not taken in, or a claim was not obeyed: each with the one text that people read."""

    DONE = "done", "done", "{}"
    ATTEMPTS = "attempts", "dead", "attempt {} of {} failed{}"
    EXPIRED = "expired", "expired", "ttl {} is over"
    UNREADABLE = "unreadable", "dead", "{}"
    WRONG_ID = "wrong-id", "dead", "id: found {}, expected {}"
    WRONG_HASH = "wrong-hash", "dead", "hash: it doesn't match the body"
    MISADDRESSED = "misaddressed", "dead", 'misaddressed: nobody in "to" is {}'
    DATED_AHEAD = "dated-ahead", "dead", "ts: found {}, more than a day ahead"
    BAD_SIGNATURE = "bad-signature", "dead", "signature: {}"
    SAME_WAITS = "same-waits", "duplicate", "it was sent again while it was away"
    SAME_AT_WORK = "same-at-work", "duplicate", "it is being worked on already"
    SAME_FINISHED = "same-finished", "duplicate", "it was finished before"
    OTHER_WAITS = "other-waits", "conflict", "another of this id was sent while it was away"
    OTHER_AT_WORK = "other-at-work", "conflict", "another of this id is being worked on"
    OTHER_FINISHED = "other-finished", "conflict", "another of this id was finished before"
    ID_TAKEN = "id-taken", "conflict", "something else with id {} is there"
    ID_FINISHED = "id-finished", "conflict", "an envelope with id {} and other content was finished"
    NOT_IN_FORCE = "not-in-force", "", "claim {} is not in force any more"

    def __init__(self, name: str, state: str, text: str) -> None:
        self.code = name
        self.state = state
        self._text = text

    @classmethod
    def parse(cls, code: str) -> Why:
        return next(why for why in cls if why.code == code)

    def text(self, *details: object) -> str:
        return self._text.format(*details)

    @property
    def is_for_good(self) -> bool:
        """Whether no other copy of this id may begin. Mail that was refused or has expired leaves its id free."""
        return self in (Why.DONE, Why.ATTEMPTS)


@dataclass(frozen=True)
class LifeLimits:
    """How often a copy is tried, how long it pauses in between, and how far ahead it may be dated."""

    attempts_max: int = 5
    pause_s_base: int = 5
    pause_s_max: int = 600
    ahead_s_max: int = AHEAD_S_MAX

    def pause_after(self, failures: int) -> int:
        return min(self.pause_s_base << min(failures, 64), self.pause_s_max)


@dataclass(frozen=True)
class Term:
    """For how long a sender wants a copy to live; without a ``ttl`` the copy does not expire."""

    ts: Instant
    ttl: Ttl | None

    @classmethod
    def of(cls, envelope: Envelope | None) -> Term:
        """That of an envelope; what can't be read any more does not expire."""
        return cls(Instant(0), None) if envelope is None else cls(envelope.ts, envelope.ttl)

    def is_over(self, first_seen: Instant, now: Instant) -> bool:
        return self.ttl is not None and now >= min(self.ts, first_seen).plus(self.ttl.seconds)


@dataclass(frozen=True)
class Objection:
    """One thing that speaks against an envelope: the field that it is about, and the reason kept with dead mail."""

    field: str
    why: Why
    text: str


def objections(
    taken_as: EnvelopeId,
    envelope: Envelope,
    first_seen: Instant,
    check: SignatureCheck,
    inbox: Domain,
    config: HiveConfig,
) -> list[Objection]:
    """All that speaks against an envelope in an inbox, in the order in which it counts."""
    found = []
    if envelope.id != taken_as:
        found.append(Objection("id", Why.WRONG_ID, Why.WRONG_ID.text(envelope.id, taken_as)))
    if not envelope.hash_matches:
        found.append(Objection("hash", Why.WRONG_HASH, Why.WRONG_HASH.text()))
    if not any(inbox in config.domains_of(address) for address in envelope.to):
        found.append(Objection("to", Why.MISADDRESSED, Why.MISADDRESSED.text(inbox.address)))
    if envelope.ts > first_seen.plus(LifeLimits().ahead_s_max):
        found.append(Objection("ts", Why.DATED_AHEAD, Why.DATED_AHEAD.text(envelope.ts)))
    if check.state == "bad":
        found.append(Objection("sig", Why.BAD_SIGNATURE, Why.BAD_SIGNATURE.text(check.reason)))
    return found


@dataclass(frozen=True)
class Holder:
    """A claim, and how it ended: ``done``, ``failed``, ``released`` or ``lease``; None while it is in force."""

    claim: str
    lease_s: int
    lease_ends_at: Instant
    closing: str | None = None


@dataclass(frozen=True)
class Step:
    """One step: ``claimed``, ``renewed``, ``accepted``, ``closed`` or ``ended``, and the life after it.

    ``note`` is what was said on accepting, ``pause_s`` how long nobody is to take the copy, ``is_first`` whether nobody
    had a claim before.
    """

    kind: str
    life: Life
    attempt: int = 0
    closing: str = ""
    note: str = ""
    pause_s: int = 0
    is_first: bool = False


@dataclass(frozen=True)
class Answer:
    """What becomes of what somebody wants: for ``taken`` and ``due`` the step, for ``conflict`` and ``lost`` the reason.

    Of sending: ``anew``, ``duplicate``, ``conflict``; of a look: ``ready``, ``held`` (``until``), ``due``, ``over``; of a
    claim's holder: ``taken``, ``told-before``, ``lost``.
    """

    kind: str
    step: Step | None = None
    reason: str = ""
    until: Instant | None = None


@dataclass(frozen=True)
class Life:
    """Where one copy is in its life. ``failures`` are attempts that came to nothing; ``holder`` has or had the last claim.

    ``why`` says why the life is over, ``note`` what was last said of it.
    """

    first_seen: Instant
    state: str = "waiting"
    failures: int = 0
    not_before: Instant | None = None
    holder: Holder | None = None
    why: Why | None = None
    note: str = ""

    @classmethod
    def held(cls, claim: ClaimToken, first_seen: Instant) -> Life:
        """The life of a copy that is claimed."""
        ends_at = claim.claimed_at.plus(claim.lease_s)
        return cls(first_seen, "active", claim.attempt - 1, holder=Holder(str(claim), claim.lease_s, ends_at))

    @classmethod
    def over(cls, why: Why, first_seen: Instant = Instant(0)) -> Life:
        """A life of which only its end is known."""
        return cls(first_seen, why.state, why=why)

    @property
    def attempt(self) -> int:
        """The number of the attempt that goes on or comes next, from 1."""
        return self.failures + 1

    def sent_again(self, is_same: bool, id: EnvelopeId) -> Answer:
        """What becomes of mail that is sent under this copy's id."""
        if self.why is not None and not self.why.is_for_good:
            return Answer("anew")
        if is_same:
            return Answer("duplicate")
        return Answer("conflict", reason=(Why.ID_TAKEN if self.why is None else Why.ID_FINISHED).text(id))

    def rules(self, is_same: bool) -> Why | None:
        """Why another copy, claimed while this one is there, comes to nothing; None if it may be worked on."""
        if self.state == "waiting":
            return Why.SAME_WAITS if is_same else Why.OTHER_WAITS
        if self.state == "active":
            return Why.SAME_AT_WORK if is_same else Why.OTHER_AT_WORK
        if self.why is None or not self.why.is_for_good:
            return None
        return Why.SAME_FINISHED if is_same else Why.OTHER_FINISHED

    def look(self, term: Term, now: Instant, limits: LifeLimits) -> Answer:
        """What a reader finds."""
        if self.state == "active" and self.holder is not None:
            if now < self.holder.lease_ends_at:
                return Answer("held", until=self.holder.lease_ends_at)
            return Answer("due", self.closed("lease", "", 0, term, now, limits))
        if self.state != "waiting":
            return Answer("over")
        if term.is_over(self.first_seen, now):
            return Answer("due", self.ended(Why.EXPIRED, Why.EXPIRED.text(term.ttl)))
        if self.not_before is not None and now < self.not_before:
            return Answer("held", until=self.not_before)
        return Answer("ready")

    def claimed(self, claim: ClaimToken) -> Step:
        """Somebody takes the copy, which waits. Whoever names a copy may take it during its pause."""
        return Step("claimed", Life.held(claim, self.first_seen), claim.attempt, is_first=self.holder is None)

    def renewed(self, claim: str, now: Instant) -> Answer:
        """The lease of a claim begins anew."""
        if self.holder is None or not self._is_held_by(claim):
            return lost(claim)
        until = now.plus(self.holder.lease_s)
        return Answer("taken", Step("renewed", replace(self, holder=replace(self.holder, lease_ends_at=until))))

    def accepted(self, claim: str, said: str, now: Instant) -> Answer:
        """As ``renewed``, by a holder who says that the work is taken on."""
        answer = self.renewed(claim, now)
        if answer.step is None:
            return answer
        return Answer("taken", replace(answer.step, kind="accepted", attempt=self.attempt, note=said))

    def settled(
        self, claim: str, closing: str, said: str, released_s: int, term: Term, now: Instant, limits: LifeLimits
    ) -> Answer:
        """The holder of a claim ends it: ``done``, ``failed`` or ``released``."""
        if self._is_held_by(claim):
            return Answer("taken", self.closed(closing, said, released_s, term, now, limits))
        if self.holder is not None and (self.holder.claim, self.holder.closing) == (claim, closing):
            return Answer("told-before")
        return lost(claim)

    def closed(
        self, closing: str, said: str, released_s: int, term: Term, now: Instant, limits: LifeLimits
    ) -> Step:
        """The claim in force ends. What failed for the last time is dead, what comes back late expired; else it waits."""
        is_failure = closing in ("failed", "lease")
        failures = self.attempt if is_failure else self.failures
        if closing == "done":
            return self._over(closing, failures, Why.DONE, said)
        if is_failure and self.attempt >= limits.attempts_max:
            why = Why.ATTEMPTS.text(self.attempt, limits.attempts_max, f": {said}" if said else "")
            return self._over(closing, failures, Why.ATTEMPTS, why)
        if term.is_over(self.first_seen, now):
            return self._over(closing, failures, Why.EXPIRED, said)
        pause_s = limits.pause_after(self.attempt) if is_failure else released_s
        not_before = now.plus(pause_s) if pause_s else None
        life = replace(self._ended_claim(closing), state="waiting", failures=failures, not_before=not_before, note=said)
        return Step("closed", life, self.attempt, closing, pause_s=pause_s)

    def ended(self, why: Why, text: str) -> Step:
        """The copy ends without work: refused, repeated, or too late."""
        return Step("ended", replace(self, state=why.state, not_before=None, why=why, note=text), self.attempt)

    def _over(self, closing: str, failures: int, why: Why, said: str) -> Step:
        life = replace(self._ended_claim(closing), state=why.state, failures=failures, not_before=None)
        return Step("closed", replace(life, why=why, note=said), self.attempt, closing)

    def _ended_claim(self, closing: str) -> Life:
        return self if self.holder is None else replace(self, holder=replace(self.holder, closing=closing))

    def _is_held_by(self, claim: str) -> bool:
        return self.state == "active" and self.holder is not None and self.holder.claim == claim


def lost(claim: object) -> Answer:
    """The answer to whoever shows a claim that has ended, or that there never was."""
    return Answer("lost", reason=Why.NOT_IN_FORCE.text(claim))
