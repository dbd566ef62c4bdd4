"""The envelopes that somebody works on, and the two ways out of that: finished, or back to the inbox.

Each way has one step that only one process can win, and every step can be completed by whoever finds it half done.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pheromone.claimtoken import ClaimToken
from pheromone.config import HiveConfig
from pheromone.envelope import Envelope
from pheromone.files import HiveFiles
from pheromone.header import ENVELOPE_BYTES_MAX, MalformedEnvelope
from pheromone.history import History
from pheromone.instant import Instant
from pheromone.journal import Journal
from pheromone.layout import Layout
from pheromone.leftovers import Leftovers
from pheromone.life import Life, LifeLimits, Step, Term, Why
from pheromone.values import ContentHash, Domain, EnvelopeId, random_tag

_MARK_TRIES_MAX = 50


@dataclass(frozen=True)
class Settlement:
    """What became of a claim.

    ``state`` is where the copy is now: ``done``, ``waiting`` (again), ``dead``, ``expired``, ``duplicate`` or
    ``conflict``; ``lost`` if the claim was not in force any more and nothing was done; ``withheld`` if a lock forbids
    it, and the outcome waits in ``location`` until the hive is free.
    """

    state: str
    reason: str = ""
    location: str = ""


class Claims:
    """The claimed files of a hive."""

    def __init__(
        self, files: HiveFiles, layout: Layout, config: HiveConfig, history: History, journal: Journal
    ) -> None:
        self._files = files
        self._layout = layout
        self._limits = LifeLimits(config.attempts)
        self._history = history
        self._journal = journal
        self.leftovers = Leftovers(files, layout, history)

    def path(self, domain: Domain, claim: ClaimToken) -> Path:
        return self._layout.active(domain) / claim.file_name

    def list(self, domain: Domain) -> list[ClaimToken]:
        found = (ClaimToken.of_file(name) for name in self._files.list(self._layout.active(domain)))
        return [claim for claim in found if claim is not None]

    def finish(self, domain: Domain, claim: ClaimToken, note: str, now: Instant) -> Settlement:
        """Ends a claim as done. Raises ``FileNotFoundError`` if it is not in force any more.

        The moment of truth is the link in the seen-set: before it nothing has happened, after it the claim has ended
        whatever else fails. The file is forced once, with that link. The move to the archive is not: if a power cut
        undoes it, the file is where it was, and known as finished.
        """
        self.require_in_force(domain, claim)
        file = self.path(domain, claim)
        envelope, digest = self._content(file)
        life = Life.held(claim, now)
        with self._files.open(file) as descriptor:
            try:
                self._history.outcome(domain, claim, "done", note, now)
            except OSError as e:
                # Work that was done is done all the same: silence is taken for that.
                self._journal.trouble(f"history of {claim.id}", e)
            if not self._link_seen(domain, claim.id, digest, file):
                return self._repeated(life, envelope, domain, claim, file, now)
            try:
                os.fsync(descriptor)
                self._files.sync_names_of_forced(self._layout.seen(domain, claim.id))
            except OSError as e:
                self._unforced(domain, e)
            try:
                self._remove_mark(domain, claim, file)
                self._files.sync_names_of_forced(self._store(domain, claim.id, file, "done", now))
            except OSError as e:
                # It is finished; only its file is still where it was.
                self._journal.trouble(f"archive of {claim.id}", e)
        step = life.closed("done", note, 0, Term.of(None), now, self._limits)
        return self._told(step, envelope, domain, claim, now)

    def require_in_force(self, domain: Domain, claim: ClaimToken) -> None:
        """Raises ``FileNotFoundError`` if the claim's name is only a leftover of a claim that had ended."""
        if self.leftovers.is_leftover(domain, claim):
            raise FileNotFoundError(str(self.path(domain, claim)))

    def give_back(self, domain: Domain, claim: ClaimToken, reason: str, note: str, now: Instant) -> Settlement:
        """Takes the claim from whoever holds it, and puts its copy back into the inbox, or away if it is over.

        ``reason`` is ``released``, ``failed`` or ``lease``. Raises ``FileNotFoundError`` if it is over already.
        """
        self.require_in_force(domain, claim)
        self._files.make_folder(self._layout.returning(domain))
        name = claim.file_name if reason == "lease" else f"{claim}.{reason}.md"
        file = self._layout.returning(domain) / name
        # One winner; from here on the holder can't finish it.
        self._files.rename(self.path(domain, claim), file)
        envelope, digest = self._content(file)
        first_seen = self._history.read(domain, claim.id).first_seen
        life = Life.held(claim, first_seen or (now if envelope is None else envelope.ts))
        if self._is_seen(domain, claim.id, digest):
            # The holder had committed: the copy is done, and only its file was still here.
            if not self._files.is_same(self._layout.seen_name(domain, claim.id, digest), file):
                return self._repeated(life, envelope, domain, claim, file, now)
            self._put_away(domain, claim, file, "done", now)
            return Settlement("done", Why.SAME_FINISHED.text())
        step = life.closed(reason, note, 0, Term.of(envelope), now, self._limits)
        if step.life.state != "waiting":
            self._history.outcome(domain, claim, step.life.state, step.life.note, now)
            if step.life.state == "dead" and not self._commit(domain, claim.id, digest, file):
                return self._repeated(life, envelope, domain, claim, file, now)
            self._put_away(domain, claim, file, step.life.state, now)
            return self._told(step, envelope, domain, claim, now)
        # Before the mail is back, so that nobody takes it during its pause.
        try:
            self._history.returned(domain, claim, reason, note, step.pause_s, now)
        except OSError as e:
            # Without its history it comes back too early; without its file it would not come back.
            self._journal.trouble(f"history of {claim.id}", e)
        why = self._back_to_inbox(envelope, domain, claim, file)
        if why is not None:
            # The copy in the inbox lives on.
            self._put_away(domain, claim, file, why.state, now)
            step = life.ended(why, why.text())
        return self._told(step, envelope, domain, claim, now)

    def reject(
        self, envelope: Envelope | None, domain: Domain, claim: ClaimToken, why: Why, reason: str, now: Instant
    ) -> None:
        """Archives a claim on which no work has begun, without a trace in the seen-set: it was never accepted."""
        file = self.path(domain, claim)
        self._history.outcome(domain, claim, why.state, reason, now)
        self._remove_mark(domain, claim, file)
        self._files.sync(self._store(domain, claim.id, file, why.state, now))
        self._told(Life.held(claim, now).ended(why, reason), envelope, domain, claim, now)

    def begin(self, domain: Domain, claim: ClaimToken) -> ClaimToken | None:
        """Marks the copy as being worked on; answers with the other claim of its id that is, if there is one."""
        mark, file = self._layout.running(domain, claim.id), self.path(domain, claim)
        self._files.make_folder(mark.parent)
        for _ in range(_MARK_TRIES_MAX):
            try:
                self._files.link(file, mark)
                return None
            except FileExistsError:
                for other in self.list(domain):
                    rival = other.id == claim.id and other != claim
                    if rival and self._files.is_same(mark, self.path(domain, other)):
                        return other
                if self._files.is_same(mark, file):
                    return None
                self._remove_stale_mark(domain, mark)
        raise FileExistsError(f"{mark}: found a mark that comes back, expected none")

    def reap(self, domain: Domain, now: Instant) -> None:
        """Takes back what holders let lie past their lease. What was said under a lock waits to be applied, by rsm."""
        kept = self._kept()
        for claim in self.list(domain):
            try:
                with self._files.begin():
                    if str(claim) not in kept and self._is_over(domain, claim):
                        self.give_back(domain, claim, "lease", "", now)
            except FileNotFoundError:
                # Its holder, or another reaper, was faster.
                continue
            except OSError as e:
                # One that can't be taken back must not keep the others.
                self._journal.trouble(f"claim {claim}", e)

    def _kept(self) -> set[str]:
        """The claims whose outcome waits in the mirror. Their folders stay when it was applied."""
        names: set[str] = set()
        for name in self._files.list(self._layout.outcomes):
            folder = self._layout.outcomes / name
            status = self._files.stat(folder)
            if status is not None and stat.S_ISDIR(status.st_mode):
                names.update(self._files.list(folder))
        return names

    def _is_over(self, domain: Domain, claim: ClaimToken) -> bool:
        status = self._files.stat(self.path(domain, claim))
        if status is None:
            return False
        touched, changed = Instant(status.st_mtime_ns), Instant(status.st_ctime_ns)
        # The clock is read after each look: a sign of life that was found must not be ahead of it.
        now = Instant.now()
        if now < claim.lease_ends_at(changed, touched, now):
            return False
        # Nobody can renew a lease under a lock: with its lifting each begins anew.
        for name in ("", "do-not-read", "do-not-alter", "do-not-erase"):
            folder = self._files.stat(self._layout.hive / name)
            if folder is not None:
                touched = max(touched, Instant(folder.st_mtime_ns))
        now = Instant.now()
        return now >= claim.lease_ends_at(changed, touched, now)

    def _is_seen(self, domain: Domain, id: EnvelopeId, digest: ContentHash) -> bool:
        return self._files.stat(self._layout.seen_name(domain, id, digest)) is not None

    def _commit(self, domain: Domain, id: EnvelopeId, digest: ContentHash, file: Path) -> bool:
        """Makes the link that finishes a copy, on the disk when this returns; False as ``_link_seen``."""
        if not self._link_seen(domain, id, digest, file):
            return False
        try:
            self._files.sync(self._layout.seen(domain, id))
        except OSError as e:
            self._unforced(domain, e)
        return True

    def _unforced(self, domain: Domain, error: OSError) -> None:
        # The link is there, so that it is finished; a power cut may undo it.
        self._journal.trouble(f"seen-set of {domain}, durability unknown", error)

    def _link_seen(self, domain: Domain, id: EnvelopeId, digest: ContentHash, file: Path) -> bool:
        """Makes the link that finishes a copy; False if another file of the same content was finished before."""
        name = self._layout.seen_name(domain, id, digest)
        self._files.make_folder(name.parent)
        try:
            self._files.link(file, name)
        except FileExistsError:
            if self._files.stat(file) is None:
                raise FileNotFoundError(str(file)) from None
            if not self._files.is_same(file, name):
                return False
        return True

    def _repeated(
        self, life: Life, envelope: Envelope | None, domain: Domain, claim: ClaimToken, file: Path, now: Instant
    ) -> Settlement:
        """Ends a claim whose like was finished while it was in force."""
        why = Why.SAME_FINISHED
        self._history.outcome(domain, claim, why.state, why.text(), now)
        self._put_away(domain, claim, file, why.state, now)
        return self._told(life.ended(why, why.text()), envelope, domain, claim, now)

    def _told(
        self, step: Step, envelope: Envelope | None, domain: Domain, claim: ClaimToken, now: Instant
    ) -> Settlement:
        self._journal.took(step, domain, claim.id, envelope, now)
        return Settlement(step.life.state, step.life.note)

    def _back_to_inbox(self, envelope: Envelope | None, domain: Domain, claim: ClaimToken, file: Path) -> Why | None:
        """Gives the copy its name in the inbox again; the reason if another copy has that name."""
        mail = self._layout.mail(domain, claim.id)
        # Before it is back: from then on the mark may be the next holder's.
        self._remove_mark(domain, claim, file)
        try:
            self._files.link(file, mail)
        except FileExistsError:
            if not self._files.is_same(file, mail):
                other, _ = self._content(mail)
                same = envelope is not None and other is not None and envelope.is_same_mail_as(other)
                return Life(claim.claimed_at).rules(same)
        self._files.sync(mail.parent)
        self._files.remove(file)
        return None

    def _put_away(self, domain: Domain, claim: ClaimToken, file: Path, state: str, now: Instant) -> None:
        # The mark goes first: while the claim is here nobody takes it for a stale one, and later it might be another's.
        self._remove_mark(domain, claim, file)
        self._files.sync(self._store(domain, claim.id, file, state, now))

    def _store(self, domain: Domain, id: EnvelopeId, file: Path, state: str, now: Instant) -> Path:
        """Moves a file to the archive, and answers with the folder there, which is not forced yet."""
        folder = self._layout.archive(domain, state, now)
        self._files.make_folder(folder)
        self._files.rename(file, folder / f"{id}.{now.millis}.{random_tag(6)}.md")
        return folder

    def _remove_mark(self, domain: Domain, claim: ClaimToken, file: Path) -> None:
        """Removes the mark of work in progress, if it is on this very file."""
        mark = self._layout.running(domain, claim.id)
        if self._files.is_same(mark, file):
            self._files.make_folder(self._layout.state(domain))
            with self._files.alone(self._layout.state(domain) / ".running.lock"):
                if self._files.is_same(mark, file):
                    self._files.remove(mark)

    def _remove_stale_mark(self, domain: Domain, mark: Path) -> None:
        self._files.make_folder(self._layout.state(domain))
        with self._files.alone(self._layout.state(domain) / ".running.lock"):
            if not any(self._files.is_same(mark, self.path(domain, claim)) for claim in self.list(domain)):
                try:
                    self._files.remove(mark)
                except FileNotFoundError:
                    pass

    def _content(self, file: Path) -> tuple[Envelope | None, ContentHash]:
        """A claimed file's envelope and hash; of one that the disk has spoilt since, the hash of all of it."""
        raw = self._files.read(file, ENVELOPE_BYTES_MAX)
        try:
            envelope = Envelope.parse(raw)
            return envelope, envelope.hash
        except MalformedEnvelope:
            return None, ContentHash.of(raw)
