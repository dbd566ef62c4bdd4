"""The ways of an envelope into an inbox: published durably, or kept in the mirror while a lock forbids that."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pheromone.claimtoken import ClaimToken
from pheromone.envelope import Envelope
from pheromone.files import HiveFiles
from pheromone.guard import Access, Withheld
from pheromone.header import ENVELOPE_BYTES_MAX, MalformedEnvelope
from pheromone.history import History
from pheromone.instant import Instant
from pheromone.journal import Journal
from pheromone.layout import Layout
from pheromone.life import Life, Why
from pheromone.values import Actor, Address, ContentHash, Domain, EnvelopeId, random_tag

_NAME_TRIES_MAX = 3


@dataclass(frozen=True)
class Copy:
    """What became of one copy.

    ``state`` is ``delivered`` or ``duplicate`` (both are success), ``unconfirmed`` (sent, but the disk did not confirm
    it), ``conflict`` (something else has that id), ``withheld`` (it waits in the mirror: do not resend; without a
    ``location`` nothing was kept), ``parked`` (its sender is muted, it waits aside), ``refused`` (come again after
    ``retry_after_s``) or ``failed``.
    """

    address: Address
    inbox: Domain
    state: str
    location: str = ""
    reason: str = ""
    retry_after_s: int = 0

    @property
    def is_sent(self) -> bool:
        return self.state in ("delivered", "duplicate", "unconfirmed")


@dataclass(frozen=True)
class Receipt:
    """What became of an envelope, copy by copy; ``waited_s`` is how long an inbox made its sender wait, if it did."""

    id: EnvelopeId
    hash: ContentHash
    copies: tuple[Copy, ...]
    waited_s: float = 0.0
    waited_for: str = ""

    @property
    def is_sent(self) -> bool:
        return all(copy.is_sent for copy in self.copies)

    @property
    def path(self) -> str:
        """Where the first copy lies, relative to the hive root; in the mirror, if a lock withheld it."""
        return self.copies[0].location


class PostOffice:
    """Puts envelopes into folders."""

    def __init__(self, files: HiveFiles, layout: Layout, history: History, journal: Journal, actor: Actor) -> None:
        self._files = files
        self._layout = layout
        self._history = history
        self._journal = journal
        self._actor = actor

    def find_earlier(self, address: Address, domain: Domain, envelope: Envelope) -> Copy | None:
        """What an earlier sending of this envelope, or of another with its id, left anywhere in the inbox's reach."""
        layout, id = self._layout, envelope.id
        finished = layout.seen_name(domain, id, envelope.hash)
        # One look: an envelope that is finished between two of them would seem to be another.
        ended = [name for name in self._files.list(layout.seen(domain, id)) if name.startswith(f"{id}.")]
        if ended:
            is_same = finished.name in ended
            if is_same:
                # Whoever finished it may not have come so far as to force it to the disk.
                self._files.force(finished)
            location = layout.name_of(finished if is_same else finished.parent / ended[0])
            return self._again(address, domain, envelope, Life.over(Why.DONE), is_same, location)
        for folder in (layout.active(domain), layout.returning(domain)):
            for name in self._files.list(folder):
                if name.startswith(f"{id}."):
                    known = self._compare(address, domain, envelope, folder / name)
                    if known is not None:
                        return known
        return self._compare(address, domain, envelope, layout.mail(domain, id))

    def publish(self, address: Address, domain: Domain, envelope: Envelope) -> Copy:
        """Writes aside, gives it its name, then forces it to the disk under that name.

        A reader sees the whole envelope or none; after a power cut before the force, a part of it, which counts as none.
        """
        mail = self._layout.mail(domain, envelope.id)
        return self.find_earlier(address, domain, envelope) or self._put_at_once(address, domain, envelope, mail)

    def park(self, address: Address, domain: Domain, envelope: Envelope, until: Instant) -> tuple[Copy, bool]:
        """Puts mail of a muted sender aside, as durably, and says whether it was not there before."""
        earlier = self.find_earlier(address, domain, envelope)
        if earlier is not None:
            return earlier, False
        folder = self._layout.parked(envelope.from_, domain)
        self._files.make_folder(folder)
        copy = self._put(address, domain, envelope, folder / f"{envelope.id}.md")
        if not copy.is_sent:
            return copy, False
        reason = "; ".join(filter(None, [f"{envelope.from_} is muted until {until}", copy.reason]))
        return Copy(address, domain, "parked", copy.location, reason), copy.state != "duplicate"

    def _draft(self, domain: Domain, envelope: Envelope) -> Path:
        drafts = self._layout.drafts(domain)
        self._files.make_folder(drafts)
        return drafts / f"{envelope.id}.{random_tag(8)}"

    def _put_at_once(self, address: Address, domain: Domain, envelope: Envelope, mail: Path) -> Copy:
        """By one force, for inboxes alone: whoever reads them knows what a power cut leaves."""
        draft = self._draft(domain, envelope)
        with self._files.open_draft(draft, envelope.raw) as descriptor:
            try:
                earlier = self._name(address, domain, envelope, draft, mail)
            finally:
                # Before the content is forced, so that one commit has both names right.
                self._remove(draft)
            if earlier is not None:
                return earlier

            def force() -> None:
                os.fsync(descriptor)
                self._files.sync_names_of_forced(mail.parent)

            return self._confirmed(address, domain, mail, force)

    def _put(self, address: Address, domain: Domain, envelope: Envelope, mail: Path) -> Copy:
        """The content is forced before it gets its name: for folders whose readers expect whole files."""
        draft = self._draft(domain, envelope)
        self._files.create(draft, envelope.raw)
        try:
            earlier = self._name(address, domain, envelope, draft, mail)
            return earlier or self._confirmed(address, domain, mail, lambda: self._files.sync(mail.parent))
        finally:
            self._remove(draft)

    def _name(self, address: Address, domain: Domain, envelope: Envelope, draft: Path, mail: Path) -> Copy | None:
        """Gives the draft its name; what has that name already, if it is taken."""
        for tries in range(_NAME_TRIES_MAX + 1):
            try:
                # A hard link, not a rename: a rename would silently replace an earlier envelope of the same name.
                self._files.link(draft, mail)
                return None
            except FileExistsError:
                earlier = self._compare(address, domain, envelope, mail)
                if earlier is not None:
                    return earlier
                if tries == _NAME_TRIES_MAX:
                    raise
        return None

    def _confirmed(self, address: Address, domain: Domain, mail: Path, force: Callable[[], None]) -> Copy:
        location = self._layout.name_of(mail)
        try:
            force()
        except OSError as e:
            # The name is there, so that "not sent" would be a lie; and so would be "sent".
            return Copy(address, domain, "unconfirmed", location, f"committed, durability unknown: {e.strerror}")
        return Copy(address, domain, "delivered", location)

    def keep(self, envelope: Envelope, why: Withheld) -> tuple[Copy, ...]:
        """Keeps an envelope in the mirror, as one file however many it is for, until a person releases it."""
        location, state, reason = "", "withheld", f"{why.blocked.reason}; nothing was kept"
        try:
            folder = self._layout.kept(envelope.to[0])
            file = folder / f"{envelope.id}.md"
            with self._files.begin():
                self._require_unlocked(envelope, file)
                self._files.make_folder(folder / ".tmp")
                draft = folder / ".tmp" / f"{envelope.id}.{random_tag(8)}"
                self._files.create(draft, envelope.raw)
                location, reason = self._layout.name_of(file), f"{why.blocked.reason}; kept, do not resend"
                try:
                    self._files.link(draft, file)
                    self._files.sync(folder)
                except FileExistsError:
                    if self._is_same_mail(envelope, file):
                        self._files.force(file)
                    else:
                        state, reason = "conflict", Why.ID_TAKEN.text(envelope.id)
                finally:
                    self._remove(draft)
        except Withheld:
            location = ""
        except OSError as e:
            state, reason = "failed", f"{e.strerror or e}"
        return tuple(Copy(address, address.inbox, state, location, reason) for address in envelope.to)

    def _require_unlocked(self, envelope: Envelope, file: Path) -> None:
        """What is secret in the hive is secret in the mirror: an inbox that may not be read has no mirror."""
        self._files.require(file, Access.WRITE, envelope.raw)
        for address in envelope.to:
            self._files.require(self._layout.mirror / "inbox" / address.inbox / file.name, Access.WRITE)

    def _compare(self, address: Address, domain: Domain, envelope: Envelope, file: Path) -> Copy | None:
        """Duplicate or conflict with the envelope in ``file``; None if there is no such file."""
        location = self._layout.name_of(file)
        try:
            if file == self._layout.mail(domain, envelope.id) and self._torn(file):
                self._bury(domain, file)
            is_same = self._is_same_mail(envelope, file)
            if is_same:
                # Whoever sent it first may not have come so far as to force it to the disk.
                self._files.force(file)
        except FileNotFoundError:
            return None
        return self._again(address, domain, envelope, Life(Instant(0)), is_same, location)

    @staticmethod
    def _again(
        address: Address, domain: Domain, envelope: Envelope, known: Life, is_same: bool, location: str
    ) -> Copy:
        """What becomes of mail whose id another copy has."""
        answer = known.sent_again(is_same, envelope.id)
        return Copy(address, domain, answer.kind, location, answer.reason)

    def _is_same_mail(self, envelope: Envelope, file: Path) -> bool:
        try:
            return Envelope.parse(self._files.read(file, ENVELOPE_BYTES_MAX)).is_same_mail_as(envelope)
        except MalformedEnvelope:
            return False
        except FileNotFoundError:
            raise
        except OSError:
            # A folder, pipe or link: opening it would wait for ever or lead elsewhere.
            return False

    def _torn(self, file: Path) -> str:
        """What is wrong with ``file``, if it is a part of an envelope, as a power cut leaves it; else nothing.

        Nobody was told that such a file arrived. Whoever edits mail that waits makes one, too.
        """
        try:
            envelope = Envelope.parse(self._files.read(file, ENVELOPE_BYTES_MAX))
            return "" if envelope.hash_matches else f"an unfinished send: {Why.WRONG_HASH.text()}"
        except MalformedEnvelope as e:
            return f"an unfinished send: {e}"
        except FileNotFoundError:
            raise
        except OSError:
            return ""

    def _bury(self, domain: Domain, file: Path) -> None:
        """Archives a torn file under no id, with the reason, so that the whole envelope gets its name."""
        now = Instant.now()
        archive = self._layout.archive(domain, Why.UNREADABLE.state, now)
        self._files.require(archive, Access.WRITE)
        # Should we be killed, it is found there by whoever completes what is on its way back.
        aside = ClaimToken(EnvelopeId.random(now), 0, self._actor, now, 0, f"c{random_tag(6)}")
        path = self._layout.returning(domain) / f"{aside}.released.md"
        self._files.make_folder(path.parent)
        self._files.rename(file, path)
        reason = self._torn(path)
        if not reason:
            # Another sender was faster: its mail goes back to where it was.
            self._files.link(path, file)
            self._files.force(file)
            self._remove(path)
            return
        self._files.make_folder(archive)
        buried = archive / f"unnamed.{now.millis}.{random_tag(6)}.md"
        self._files.rename(path, buried)
        self._files.sync(archive)
        reason = f"{reason}; it was {self._layout.name_of(file)}"
        try:
            self._history.archived(domain, buried.stem, Why.UNREADABLE.state, reason, now)
        except OSError as e:
            # It is where it belongs, and the log says why.
            self._journal.trouble(f"history of {buried.stem}", e)
        self._journal.took(Life(now).ended(Why.UNREADABLE, reason), domain, buried.stem, None, now)

    def _remove(self, draft: Path) -> None:
        try:
            self._files.remove(draft)
        except (OSError, Withheld):
            # The envelope is delivered or not by now; recovery removes old drafts.
            pass
