"""Where everything lies in a hive."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pheromone.guard import HIVE, MIRROR
from pheromone.instant import Instant
from pheromone.values import Actor, Address, ContentHash, Domain, EnvelopeId


@dataclass(frozen=True)
class Layout:
    """The paths of the hive at ``root``."""

    root: Path

    @property
    def hive(self) -> Path:
        return self.root / HIVE

    @property
    def mirror(self) -> Path:
        return self.root / MIRROR

    @property
    def log(self) -> Path:
        return self.hive / "telemetry" / "rse.jsonl"

    @property
    def outcomes(self) -> Path:
        """How work ended while the hive was locked."""
        return self.mirror / "outcome"

    def inbox(self, domain: Domain) -> Path:
        return self.hive / "inbox" / domain

    def mail(self, domain: Domain, id: EnvelopeId) -> Path:
        return self.inbox(domain) / f"{id}.md"

    def drafts(self, domain: Domain) -> Path:
        return self.inbox(domain) / ".tmp"

    def kept(self, address: Address) -> Path:
        """The folder in the mirror where mail to this address waits."""
        return self.mirror / "inbox" / f"{address.scheme}-{address.name.lower()}"

    def active(self, domain: Domain) -> Path:
        return self.hive / "active" / domain

    def running(self, domain: Domain, id: EnvelopeId) -> Path:
        return self.active(domain) / ".running" / id

    def returning(self, domain: Domain) -> Path:
        return self.active(domain) / ".return"

    def history(self, domain: Domain, id: str) -> Path:
        return self.hive / "status" / domain / f"{id}.jsonl"

    def seen(self, domain: Domain, id: EnvelopeId) -> Path:
        return self.hive / "seen" / domain / id.seen_folder

    def seen_name(self, domain: Domain, id: EnvelopeId, hash: ContentHash) -> Path:
        return self.seen(domain, id) / f"{id}.{hash.hex}"

    def archives(self, domain: Domain) -> Path:
        return self.hive / "archive" / domain

    def archive(self, domain: Domain, state: str, day: Instant) -> Path:
        return self.archives(domain) / state / day.day()

    def state(self, domain: Domain) -> Path:
        return self.hive / "state" / domain

    def sender(self, domain: Domain, actor: Actor) -> Path:
        """What one sender put into one inbox, a line each."""
        return self.state(domain) / "senders" / actor.file_name

    def parked(self, actor: Actor, domain: Domain) -> Path:
        """Where mail of a muted sender lies instead of the inbox."""
        return self.hive / "outbox" / "muted" / actor.file_name / domain

    def mute(self, actor: Actor) -> Path:
        return self.hive / "mute" / f"{actor.file_name}.yaml"

    def name_of(self, path: Path) -> str:
        """The path as people and events are told it."""
        return os.path.relpath(path, self.root)
