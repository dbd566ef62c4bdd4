"""A hive on this machine's disk, open for use: send, receive, acknowledge."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pheromone import yaml
from pheromone.admissions import Admissions
from pheromone.answers import Answers
from pheromone.claim import Claim
from pheromone.claimtoken import ClaimToken, require_lease
from pheromone.claims import Claims, Settlement
from pheromone.composer import Composer
from pheromone.config import HiveConfig, parse_trust
from pheromone.envelope import Envelope
from pheromone.eventlog import Telling
from pheromone.files import HiveFiles
from pheromone.guard import Access, Guard, Withheld
from pheromone.header import ENVELOPE_BYTES_MAX, MalformedEnvelope
from pheromone.history import History
from pheromone.inbox import Inbox, Known
from pheromone.instant import Instant
from pheromone.journal import Journal
from pheromone.layout import Layout
from pheromone.life import lost
from pheromone.postoffice import Copy, PostOffice, Receipt
from pheromone.root import find_root, hive_at
from pheromone.question import QuestionState
from pheromone.refusals import Refusals
from pheromone.rse import Reading, to_json
from pheromone.trust import TrustList
from pheromone.values import Actor, Address, Consent, Domain, EnvelopeId, random_tag

T = TypeVar("T")

_POLL_S = 0.2

# What this adapter does not do; rsm, and others that stay, do it for the same hive.
CAPABILITIES: Mapping[str, bool] = {
    "attended_leases": False,
    "outside_guard": False,
    "overrides": False,
    "hard_links": False,
    "bind_mounts": False,
    "recovery": False,
    "backpressure_events": False,
    "parking": False,
    "public_mail": False,
}


class NoSuchInbox(LookupError):
    """An address that means no inbox of this hive."""


def require_sendable(envelope: Envelope) -> None:
    """Raises ``ValueError`` for mail that no reader would take."""
    if not envelope.hash_matches:
        raise ValueError(f"envelope {envelope.id}: its body has not the hash that its header says")
    if envelope.consent is Consent.PUBLIC and not (envelope.sig or "").startswith("ed25519-"):
        raise ValueError(f"envelope {envelope.id}: consent public needs an ed25519 signature")


def _refuse_public(envelope: Envelope) -> None:
    # What looks through public mail knows the user's rules, the locks and this machine's keys: rsm, and no second one.
    if envelope.consent is Consent.PUBLIC:
        raise ValueError(
            f"envelope {envelope.id}: consent is public, and nothing here looks through public mail;"
            " send it with rsm send --consent public --public, or to a served hive with HttpHive"
        )


class Hive(Composer):
    """The hive at ``root``, in the name of ``actor``. Safe for several threads and any number of processes.

    Raises ``NoHive`` if there is none; that of a linked work tree is the main one's.

    ``secrets`` has the shared secrets of HMAC keys, by the key's name.
    """

    def __init__(
        self, root: Path | str, actor: str, *, secrets: Mapping[str, bytes] | None = None, from_origin: str = "flag"
    ) -> None:
        self.root = hive_at(root)
        self.actor = Actor(actor)
        self._from_origin = from_origin
        self._secrets = secrets or {}
        self._layout = Layout(self.root)
        self._files = HiveFiles(Guard(self.root))
        self._telling = Telling(self._files, self.root, self.actor)
        self._journal = Journal(self._telling, self.actor)
        self._history = History(self._files, self._layout, self.actor)
        self._post = PostOffice(self._files, self._layout, self._history, self._journal, self.actor)
        self._known: dict[Domain, Known] = {}

    @classmethod
    def find(
        cls, actor: str | None = None, *, start: Path | str | None = None, secrets: Mapping[str, bytes] | None = None
    ) -> Hive:
        """The hive around ``start`` (or ``RSM_ROOT``, or the working folder); the actor may come from ``RSM_ACTOR``."""
        name = actor or os.environ.get("RSM_ACTOR")
        if not name:
            raise ValueError("actor: found none, expected one, or RSM_ACTOR in the environment")
        origin = "flag" if actor else "environment"
        return cls(find_root(start), name, secrets=secrets, from_origin=origin)

    def _address_of(self, actor: Actor) -> Address:
        worker, user = (Address(f"{scheme}://{actor.file_name}") for scheme in ("worker", "user"))
        has_worker, has_user = (self._files.stat(self._layout.inbox(one.inbox)) for one in (worker, user))
        return user if has_user and not has_worker else worker

    @property
    def problems(self) -> list[str]:
        """Troubles that changed nothing about what was done, such as a log that can't be written."""
        return self._journal.problems

    def write(self, *, to: str | Iterable[str], topic: str, body: str | bytes = b"", **more: Any) -> Envelope:
        """A new envelope from this actor; takes what ``Envelope.write`` does.

        Its lane, if none is given, is the first that ``hive.yaml`` gives to the first recipient's inbox, and its ttl the
        one that ``hive.yaml`` has for these recipients.
        """
        recipients = [to] if isinstance(to, str) else list(to)
        given: dict[str, Any] = {"from_": self.actor, "from_origin": self._from_origin}
        given["lane"], given["ttl"] = self._usual(recipients)
        return Envelope.write(to=recipients, topic=topic, body=body, **{**given, **more})

    def send(self, envelope: Envelope) -> Receipt:
        """Sends an envelope: a copy that is ``delivered`` survives a power cut. Under a lock it waits in the mirror.

        Raises ``NoSuchInbox`` before anything is sent, and ``ValueError`` for a lane that the hive does not know, and
        for public mail. Where an inbox is too full it waits a few seconds, which the receipt says, or the copy is
        ``refused``. Mail of a sender that a person has muted is ``parked``.
        """
        require_sendable(envelope)
        _refuse_public(envelope)
        try:
            targets, early, waited_s, waited_for = self._admit(envelope)
            if waited_s:
                # Outside the gate, where nobody waits for us.
                time.sleep(waited_s)
            with self._files.begin():
                copies = self._publish(envelope, targets, early)
            self._telling.free()
        except Withheld as e:
            copies = self._post.keep(envelope, e)
            kept = copies[0].state == "withheld" and copies[0].location
            self._telling.withheld(e, "advisory" if kept else "blocked")
            return Receipt(envelope.id, envelope.hash, copies)
        return Receipt(envelope.id, envelope.hash, copies, waited_s, waited_for)

    def question(self, question: Envelope | str) -> QuestionState | None:
        """What a question has come to; None if it asks nothing, or no such envelope is here. Anybody may look.

        The log is told by ``rsm``, whoever of its users looks next.
        """
        try:
            with self._files.begin():
                envelope = question if isinstance(question, Envelope) else self._find(EnvelopeId(question))
                if envelope is None:
                    return None
                answers = Answers(self._files, self._layout, self._config(), self._trust(), self._history)
                state = answers.look(envelope, Instant.now())
            self._telling.free()
            return state
        except Withheld as e:
            self._telling.withheld(e, "blocked")
            raise

    def _find(self, id: EnvelopeId) -> Envelope | None:
        """An envelope, wherever a copy of it is in its life."""
        for folder in ("inbox", "active", "archive"):
            for domain in self._inboxes_in(folder):
                found = self._find_below(self._layout.hive / folder / domain, id, folder == "archive")
                if found is not None:
                    return found
        return None

    def _find_below(self, folder: Path, id: EnvelopeId, is_archive: bool) -> Envelope | None:
        for name in self._files.list(folder):
            if is_archive:
                for day in self._files.list(folder / name):
                    found = self._find_below(folder / name / day, id, False)
                    if found is not None:
                        return found
            elif name.startswith(f"{id}.") and name.endswith(".md"):
                try:
                    return Envelope.parse(self._files.read(folder / name, ENVELOPE_BYTES_MAX))
                except (OSError, MalformedEnvelope):
                    continue
        return None

    def recv(self, inbox: str, *, lease_s: int | None = None, wait_s: float = 0.0) -> Iterator[Claim]:
        """Claims one copy after the other, the most urgent first; ends when nothing is ready for ``wait_s``.

        Each claim is ours until its lease ends (30 minutes, unless the hive says otherwise): end it with ``ack``,
        ``fail`` or ``release``, or keep it with ``renew``. Raises ``Withheld`` under a lock.
        """
        domain = Address.of(inbox).inbox if "://" in inbox else Domain(inbox)
        end = time.monotonic() + wait_s
        while True:
            claim = self.select(domain, lease_s=lease_s)
            if claim is not None:
                yield claim
                end = time.monotonic() + wait_s
            elif time.monotonic() >= end:
                return
            else:
                time.sleep(min(_POLL_S, max(0.0, end - time.monotonic())))

    def select(self, inbox: str, *, lease_s: int | None = None) -> Claim | None:
        """Claims the most urgent copy that is ready; None if there is none."""
        domain = Domain(inbox)
        if lease_s is not None:
            require_lease(lease_s)
        try:
            with self._files.begin():
                config = self._config()
                if not self._exists(domain, config):
                    raise self._no_inbox(domain, config)
                claims = self._claims(config)
                admissions = Admissions(self._files, self._layout, config, self._history)
                trust = self._trust()
            claims.reap(domain, Instant.now())
            reader = Inbox(
                domain,
                self._files,
                self._layout,
                config,
                trust,
                self._history,
                claims,
                admissions,
                self._journal,
                self._known.setdefault(domain, {}),
            )
            found = reader.select(self.actor, lease_s or config.lease_s)
            self._telling.free()
        except Withheld as e:
            self._telling.withheld(e, "blocked")
            raise
        if found is None:
            return None
        name, envelope, check, rationale, path = found
        ends_at = name.claimed_at.plus(name.lease_s)
        return Claim(self, domain, str(name), name.attempt, ends_at, envelope, check, rationale, path)

    def ack(self, claim: Claim | str, note: str = "") -> Settlement:
        """The work is done: once this says ``done``, the same mail never has an effect again."""
        return self._settle(claim, "done", note)

    def fail(self, claim: Claim | str, note: str) -> Settlement:
        """The work failed: the copy comes back after a pause, a class lower, until its attempts are used up."""
        return self._settle(claim, "error", note)

    def release(self, claim: Claim | str, note: str = "") -> Settlement:
        """Gives the copy back unharmed: that does not count as a failure."""
        return self._settle(claim, "released", note)

    def renew(self, claim: Claim | str) -> Settlement:
        """Begins the lease anew."""
        name, domain = self._named(claim)
        try:
            with self._files.begin():
                for inbox in self._inboxes_of(name, domain):
                    self._files.touch(self._layout.active(inbox) / name.file_name)
                    return Settlement("active")
            return Settlement("lost", f"claim {name} is not in force any more")
        except FileNotFoundError:
            return Settlement("lost", f"claim {name} is not in force any more")
        except Withheld as e:
            # A lease does not end under a lock, so that there is nothing to renew.
            self._telling.withheld(e, "blocked")
            return Settlement("withheld", e.blocked.reason)

    def events(self) -> Reading:
        """All that is in the hive's event log."""
        return self._telling.log.read()

    def _admit(self, envelope: Envelope) -> tuple[dict[Domain, Address], dict[Domain, Copy], float, str]:
        """Who is meant, what is decided already (sent before, or refused), how long to wait for the rest, and why."""
        now = Instant.now()
        with self._files.begin():
            config = self._config()
            if not config.allows(envelope.lane):
                raise ValueError(f'lane: found "{envelope.lane}", expected a known lane or one that hive.yaml lists')
            admissions = Admissions(self._files, self._layout, config, self._history)
            targets: dict[Domain, Address] = {}
            for address in envelope.to:
                for domain in config.domains_of(address):
                    if not self._exists(domain, config):
                        raise self._no_inbox(address, config)
                    targets.setdefault(domain, address)
            early: dict[Domain, Copy] = {}
            delay_ms, delayed_for = 0, ""
            for domain, address in targets.items():
                earlier = self._post.find_earlier(address, domain, envelope)
                if earlier is not None:
                    early[domain] = earlier
                    continue
                admission = admissions.admit(domain, envelope, now)
                if admission.delay_ms > delay_ms:
                    delay_ms = admission.delay_ms
                    delayed_for = admission.reason if len(targets) == 1 else f"{address}: {admission.reason}"
                if admission.is_refused:
                    if admission.by_sender:
                        Refusals(self._files, self._layout, self._journal).add(
                            domain, envelope.from_, admission.reason, now
                        )
                    wait = admission.retry_after_s
                    early[domain] = Copy(address, domain, "refused", reason=admission.reason, retry_after_s=wait)
        return targets, early, delay_ms / 1_000, delayed_for

    def _publish(
        self, envelope: Envelope, targets: Mapping[Domain, Address], early: Mapping[Domain, Copy]
    ) -> tuple[Copy, ...]:
        now = Instant.now()
        self._files.require(self._layout.log, Access.WRITE)
        for domain in targets:
            self._files.require(self._layout.mail(domain, envelope.id), Access.WRITE, envelope.raw)
        if len(early) < len(targets):
            self._journal.dropped(envelope, now)
            if envelope.from_ == self.actor:
                # So that an answer has somewhere to go.
                self._files.make_folder(self._layout.drafts(self.address.inbox))
        admissions = Admissions(self._files, self._layout, self._config(), self._history)
        muted = admissions.muted_until(envelope.from_, now)
        copies = []
        for domain, address in targets.items():
            is_parked = False
            try:
                if domain in early:
                    copy = early[domain]
                elif muted is not None:
                    copy, is_parked = self._post.park(address, domain, envelope, muted)
                else:
                    copy = self._post.publish(address, domain, envelope)
            except OSError as e:
                copy = Copy(address, domain, "failed", reason=str(e))
            if copy.state in ("delivered", "unconfirmed"):
                self._journal.emitted(envelope, domain, copy.location, now)
                admissions.count(domain, envelope, now)
            if is_parked and muted is not None:
                self._journal.parked(envelope, domain, copy.location, muted, now)
                admissions.count(domain, envelope, now)
            copies.append(copy)
        return tuple(copies)

    def _settle(self, claim: Claim | str, status: str, note: str) -> Settlement:
        name, domain = self._named(claim)
        now = Instant.now()
        try:
            with self._files.begin():
                claims = self._claims(self._config())
                for inbox in self._inboxes_of(name, domain):
                    if status == "done":
                        return claims.finish(inbox, name, note, now)
                    reason = "failed" if status == "error" else "released"
                    return claims.give_back(inbox, name, reason, note, now)
                return self._ended_before(name, domain, status)
        except FileNotFoundError:
            return self._ended_before(name, domain, status)
        except Withheld as e:
            location = self._keep_outcome(name, domain, status, note, now)
            self._telling.withheld(e, "advisory" if location else "blocked")
            return Settlement("withheld", e.blocked.reason, location)

    def _ended_before(self, claim: ClaimToken, domain: Domain | None, status: str) -> Settlement:
        """The same answer again, if the holder of this claim has ended it so and only asks once more; else it is lost."""
        for one in [domain] if domain else self._inboxes_in("status"):
            state = self._done_before(one, claim) if status == "done" else self._returned_before(one, claim, status)
            if state:
                return Settlement(state)
        return Settlement("lost", lost(claim).reason)

    def _done_before(self, domain: Domain, claim: ClaimToken) -> str:
        finished = any(name.startswith(f"{claim.id}.") for name in self._files.list(self._layout.seen(domain, claim.id)))
        return "done" if finished and self._history.last_of(domain, claim).get("status") == "done" else ""

    def _returned_before(self, domain: Domain, claim: ClaimToken, status: str) -> str:
        reason = "failed" if status == "error" else "released"
        # Looked for first: what is told of a return is told before it is over.
        if self._files.stat(self._layout.returning(domain) / f"{claim}.{reason}.md") is not None:
            return "waiting"
        last = self._history.last_of(domain, claim)
        if last.get("reason") == reason:
            return "waiting"
        # Whoever finds that a lease is over may end a claim for good too, in their own name.
        ended = str(last.get("status", "")) if last.get("by") == self.actor else ""
        return ended if ended == "expired" or (ended == "dead" and reason == "failed") else ""

    def _keep_outcome(self, claim: ClaimToken, domain: Domain | None, status: str, note: str, now: Instant) -> str:
        """Keeps how work ended in the mirror until the lock is gone; returns where, or nothing if that is locked."""
        folder = self._layout.outcomes / (domain or "_")
        told = {"claim": str(claim), "status": status, "note": note, "by": self.actor, "at": str(now)}
        try:
            with self._files.begin():
                self._files.make_folder(folder)
                draft = folder / f".{random_tag(8)}"
                self._files.create(draft, (to_json(told) + "\n").encode())
                try:
                    self._files.link(draft, folder / str(claim))
                    self._files.sync(folder)
                except FileExistsError:
                    # Said twice; the first counts.
                    pass
                finally:
                    self._files.remove(draft)
        except Withheld:
            return ""
        return self._layout.name_of(folder / str(claim))

    @staticmethod
    def _named(claim: Claim | str) -> tuple[ClaimToken, Domain | None]:
        token, inbox = (claim.token, claim.inbox) if isinstance(claim, Claim) else (claim, None)
        name = ClaimToken.parse(token)
        if name is None:
            raise ValueError(f'claim: found "{token}", expected id.attempt.worker.claimed.lease.tag as it was given')
        return name, inbox

    def _inboxes_of(self, claim: ClaimToken, domain: Domain | None) -> list[Domain]:
        if domain is not None:
            return [domain]
        known = self._inboxes_in("active")
        return [one for one in known if self._files.stat(self._layout.active(one) / claim.file_name)]

    def _inboxes_in(self, folder: str) -> list[Domain]:
        """The inboxes that have a folder of their own there; whatever else lies there is nobody's."""
        return [Domain(name) for name in self._files.list(self._layout.hive / folder) if Domain.is_good(name)]

    def _claims(self, config: HiveConfig) -> Claims:
        return Claims(self._files, self._layout, config, self._history, self._journal)

    def _exists(self, domain: Domain, config: HiveConfig) -> bool:
        return domain in config.domains or self._files.stat(self._layout.inbox(domain)) is not None

    def _no_inbox(self, wanted: str, config: HiveConfig) -> NoSuchInbox:
        names = {name for name in self._files.list(self._layout.hive / "inbox") if not name.startswith(".")}
        known = ", ".join(sorted(names | set(config.domains)))
        return NoSuchInbox(f"inbox: found no {wanted} in this hive, expected one of {known}")

    def _usual(self, recipients: list[str]) -> tuple[str | None, str]:
        """The lane and the ttl of mail whose sender names none."""
        addresses = [Address.of(one) for one in recipients]
        try:
            config = self._config()
        except Withheld:
            # Under a lock nobody knows: then the inbox's name says the lane.
            config = HiveConfig()
        first = addresses[0] if addresses else None
        lanes = config.domains.get(first.inbox, ()) if first and first.scheme != "lane" else ()
        return lanes[0] if lanes else None, config.ttl_to(addresses)

    def _config(self) -> HiveConfig:
        return self._parsed("hive.yaml", HiveConfig.parse) or HiveConfig()

    def _trust(self) -> TrustList:
        return self._parsed("trust.yaml", lambda raw: parse_trust(raw, self._secrets)) or TrustList()

    def _parsed(self, name: str, parse: Callable[[bytes], T]) -> T | None:
        """What a file of the hive's own says; None if there is none."""
        file = self._layout.hive / name
        try:
            return parse(self._files.read(file, yaml.BYTES_MAX))
        except FileNotFoundError:
            return None
        except ValueError as e:
            raise ValueError(f"{self._layout.name_of(file)}: {e}") from None
