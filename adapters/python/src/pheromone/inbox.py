"""One inbox as a reader sees it: what waits, in which order, and how one copy is claimed."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Tuple

from pheromone.admissions import Admissions
from pheromone.claimtoken import ClaimToken
from pheromone.claims import Claims
from pheromone.config import HiveConfig
from pheromone.envelope import Envelope
from pheromone.files import HiveFiles, write_line
from pheromone.header import ENVELOPE_BYTES_MAX, MalformedEnvelope
from pheromone.history import Facts, History
from pheromone.instant import Instant
from pheromone.journal import Journal
from pheromone.layout import Layout
from pheromone.life import Life, Term, Why, objections
from pheromone.trust import SignatureCheck, TrustList
from pheromone.urgency import Urgency, in_order, turn_of
from pheromone.values import Actor, Domain, EnvelopeId, random_tag

# What was read of waiting files, by name: inode, size and ctime with which it was so. A claimed file is read anew.
Known = Dict[str, Tuple[Tuple[int, int, int], Envelope]]

# How many of them are remembered.
_KNOWN_MAX = 2_000

# How many copies one selection looks at closely before it gives up for now.
_TRIES_MAX = 1_000


@dataclass(frozen=True)
class _Refusal:
    """Why a copy that was claimed is not delivered."""

    why: Why
    reason: str
    envelope: Envelope | None


@dataclass(frozen=True)
class _Waiting:
    file: Path
    envelope: Envelope
    urgency: Urgency
    facts: Facts


class Inbox:
    """An inbox folder."""

    def __init__(
        self,
        domain: Domain,
        files: HiveFiles,
        layout: Layout,
        config: HiveConfig,
        trust: TrustList,
        history: History,
        claims: Claims,
        admissions: Admissions,
        journal: Journal,
        known: Known,
    ) -> None:
        self._known = known
        self._domain = domain
        self._files = files
        self._layout = layout
        self._config = config
        self._trust = trust
        self._history = history
        self._claims = claims
        self._admissions = admissions
        self._journal = journal

    def select(self, worker: Actor, lease_s: int) -> tuple[ClaimToken, Envelope, SignatureCheck, str, str] | None:
        """Claims the most urgent copy that is ready, and says why it is that one."""
        waiting = {one.urgency.id: one for one in self._scan()}
        failure: OSError | None = None
        for _ in range(_TRIES_MAX):
            with self._files.begin():
                now = Instant.now()
                turn = turn_of(self._picks() + 1, self._config.due_turn, self._admissions.is_draining(self._domain))
                taken = self._ended(waiting, now) or self._first(waiting, now, turn)
                if taken is None:
                    break
                rationale = taken.urgency.rationale(now, turn, len(waiting))
                del waiting[taken.urgency.id]
                try:
                    claim = self._claim(taken, worker, lease_s, now)
                except OSError as e:
                    # One that can't be taken does not keep the others back.
                    failure = failure or e
                    continue
                if claim is None:
                    continue
                accepted = self._examine(taken, claim, now)
                if accepted is not None:
                    envelope, check = accepted
                    # Without a history nobody had a claim before.
                    is_first = claim.attempt == 1 and taken.facts.first_seen is None
                    self._journal.claimed(envelope, self._domain, claim, rationale, is_first)
                    path = self._layout.name_of(self._claims.path(self._domain, claim))
                    return claim, envelope, check, rationale, path
        if failure is not None:
            raise failure
        return None

    def _ended(self, waiting: dict[EnvelopeId, _Waiting], now: Instant) -> _Waiting | None:
        """One that is expired, to be cleared away, unless a person wants to be asked; or dated too far ahead."""
        for one in waiting.values():
            expired = one.urgency.is_expired(now) and not self._config.archive_needs_approval
            if expired or one.urgency.is_absurd:
                return one
        return None

    @staticmethod
    def _first(waiting: dict[EnvelopeId, _Waiting], now: Instant, turn: str) -> _Waiting | None:
        order = in_order((one.urgency for one in waiting.values()), now, turn)
        return waiting[order[0].id] if order else None

    def _scan(self) -> list[_Waiting]:
        """All mail that waits. What is no mail, or not yet, is left to whoever tidies; it stops nobody."""
        found = []
        folder = self._layout.inbox(self._domain)
        muted: dict[Actor, bool] = {}
        for name in self._files.list(folder):
            if name.startswith(".") or not name.endswith(".md"):
                continue
            # A step of its own each: whoever sets a lock waits for one of them, not for all.
            with self._files.begin():
                try:
                    one = self._look(folder / name)
                except (OSError, MalformedEnvelope):
                    continue
                if one is None:
                    continue
                sender = one.envelope.from_
                if sender not in muted:
                    muted[sender] = self._admissions.muted_until(sender, Instant.now()) is not None
                if not muted[sender]:
                    found.append(one)
        return found

    def _look(self, file: Path) -> _Waiting | None:
        status = self._files.stat(file)
        if status is None or not stat.S_ISREG(status.st_mode) or status.st_size > ENVELOPE_BYTES_MAX:
            return None
        key = (status.st_ino, status.st_size, status.st_ctime_ns)
        before, envelope = self._known.get(file.name, (None, None))
        if envelope is None or before != key:
            envelope = Envelope.parse(self._files.read(file, ENVELOPE_BYTES_MAX))
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            self._known[file.name] = (key, envelope)
        if not envelope.hash_matches or self._lacks_secret(envelope) or self._has_foreign_names(envelope, file, status):
            return None
        if status.st_nlink > 1 and self._claims.leftovers.has_gone_on(self._domain, envelope.id, envelope.hash, file):
            # A name that a power cut brought back: the copy is claimed or over.
            return None
        facts = self._history.read(self._domain, envelope.id)
        urgency = Urgency(
            envelope.id,
            envelope.priority,
            envelope.ts,
            facts.first_seen or Instant(status.st_ctime_ns),
            envelope.ttl.seconds,
            self._config.half_life,
            facts.attempts,
            facts.not_before,
        )
        return _Waiting(file, envelope, urgency, facts)

    def _lacks_secret(self, envelope: Envelope) -> bool:
        """Whether only the secret of an HMAC key could tell if this is good mail, and we were not given it."""
        if envelope.sig is None or not envelope.sig.startswith("hmac-"):
            return False
        keys = [key for key in self._trust.keys if key.algorithm == "hmac" and envelope.from_ in key.actors]
        return any(key.material is None for key in keys if envelope.kid in (None, key.kid))

    def _has_foreign_names(self, envelope: Envelope, file: Path, status: os.stat_result) -> bool:
        """Whether the file has names besides those that a hive gives it: then it could change under our hands."""
        if status.st_nlink == 1:
            return False
        layout, domain = self._layout, self._domain
        own = [
            layout.running(domain, envelope.id),
            layout.seen_name(domain, envelope.id, envelope.hash),
            # Whoever parks it, or brings it home, gives it its new name before the old one goes.
            layout.parked(envelope.from_, domain) / f"{envelope.id}.md",
            *self._claims.leftovers.own_names(domain, envelope.id, file),
        ]
        for folder in (layout.drafts(domain), layout.returning(domain)):
            own += [folder / name for name in self._files.list(folder)]
        foreign = status.st_nlink - 1 - sum(self._files.is_same(name, file) for name in own)
        return foreign > 0 and foreign > len(self._claims.leftovers.archived(domain, envelope.id, file))

    def _claim(self, taken: _Waiting, worker: Actor, lease_s: int, now: Instant) -> ClaimToken | None:
        """Renames the file into our hands: one winner. None if another was faster."""
        facts = self._history.read(self._domain, taken.envelope.id)
        if facts != taken.facts:
            # Another had it in the meantime: its pause and its class have changed.
            return None
        claimed_at = Instant.of_millis(now.millis)
        id, tag = taken.envelope.id, f"c{random_tag(6)}"
        claim = ClaimToken(id, facts.attempts + 1, worker, claimed_at, lease_s, tag)
        self._files.make_folder(self._layout.active(self._domain))
        try:
            self._files.rename(taken.file, self._claims.path(self._domain, claim))
        except FileNotFoundError:
            return None
        self._count_pick()
        try:
            # Before anything can go wrong with it, so that mail that kills its readers is counted.
            if facts.first_seen is None:
                self._history.first_seen(self._domain, claim.id, taken.urgency.first_seen)
            self._history.claimed(self._domain, claim)
        except OSError:
            # Work that is not counted is not begun: it could fail for ever, without a pause.
            self._claims.give_back(self._domain, claim, "released", "its history can't be written", now)
            raise
        return claim

    def _examine(self, taken: _Waiting, claim: ClaimToken, now: Instant) -> tuple[Envelope, SignatureCheck] | None:
        """The envelope, if it is to be worked on: read once more, now that nobody else moves it."""
        try:
            raw = self._files.read(self._claims.path(self._domain, claim), ENVELOPE_BYTES_MAX)
            decided = self._decide(raw, taken, claim, now)
        except OSError:
            # The disk failed, not the mail.
            self._claims.give_back(self._domain, claim, "released", "the disk failed", now)
            raise
        if isinstance(decided, _Refusal):
            self._claims.reject(decided.envelope, self._domain, claim, decided.why, decided.reason, now)
            return None
        return decided

    def _decide(
        self, raw: bytes, taken: _Waiting, claim: ClaimToken, now: Instant
    ) -> tuple[Envelope, SignatureCheck] | _Refusal:
        domain = self._domain
        try:
            envelope = Envelope.parse(raw)
        except MalformedEnvelope as e:
            return _Refusal(Why.UNREADABLE, Why.UNREADABLE.text(e), None)
        # Who it is from and for comes before what it repeats: a forged copy must not get in the real one's way.
        check = self._trust.check(envelope, now, self._config.signatures_required)
        first_seen = taken.urgency.first_seen
        for objection in objections(claim.id, envelope, first_seen, check, domain, self._config):
            return _Refusal(objection.why, objection.text, envelope)
        if Term.of(envelope).is_over(first_seen, now):
            return _Refusal(Why.EXPIRED, Why.EXPIRED.text(envelope.ttl), envelope)
        rival = self._claims.begin(domain, claim)
        if rival is not None:
            other = Envelope.parse(self._files.read(self._claims.path(domain, rival), ENVELOPE_BYTES_MAX))
            return self._repeated(Life.held(rival, now), other.is_same_mail_as(envelope), envelope)
        # Not before the work is marked as begun: whoever finishes from now on stops us here.
        seen = self._files.list(self._layout.seen(domain, envelope.id))
        finished = [name for name in seen if name.startswith(f"{envelope.id}.")]
        if finished:
            same = f"{envelope.id}.{envelope.hash.hex}" in finished
            return self._repeated(Life.over(Why.DONE), same, envelope)
        return envelope, check

    @staticmethod
    def _repeated(known: Life, is_same: bool, envelope: Envelope) -> _Refusal:
        why = known.rules(is_same) or Why.SAME_FINISHED
        return _Refusal(why, why.text(), envelope)

    def _picks(self) -> int:
        """How many copies were taken here, by any process: the size of a file that each pick makes longer."""
        status = self._files.stat(self._layout.state(self._domain) / "picks")
        return status.st_size if status is not None else 0

    def _count_pick(self) -> None:
        try:
            self._files.make_folder(self._layout.state(self._domain))
            with self._files.append(self._layout.state(self._domain) / "picks") as descriptor:
                write_line(descriptor, b".")
        except OSError:
            # The count only decides when the next due turn is; the copy is ours.
            pass
