"""The name of a claim, which whoever renews or ends the claim must show."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pheromone.instant import Instant
from pheromone.values import Actor, EnvelopeId

# The worker stands in the middle because it alone may contain dots.
_NAME = re.compile(r"([^.]+)\.(\d{1,9})\.(.+)\.(\d{1,15})\.(\d{1,15})\.([0-9a-z]+)", re.ASCII)

# About 30 years: what is longer is a mistake, and too long for the arithmetic of some readers.
_LEASE_S_MAX = 10**9


def require_lease(lease_s: int) -> None:
    """Raises ``ValueError`` for what would make a name that nobody can read: mail under it would never return."""
    if isinstance(lease_s, bool) or not isinstance(lease_s, int) or not 1 <= lease_s <= _LEASE_S_MAX:
        raise ValueError(f"lease_s: found {lease_s!r}, expected a whole number of seconds from 1 to {_LEASE_S_MAX}")


@dataclass(frozen=True)
class ClaimToken:
    """``<id>.<attempt>.<worker>.<claimed-ms>.<lease-s>.<tag>``; nothing else takes that text apart."""

    id: EnvelopeId
    attempt: int
    worker: Actor
    claimed_at: Instant
    lease_s: int
    tag: str

    @classmethod
    def parse(cls, text: str) -> ClaimToken | None:
        """The claim of that name; None if it is no claim's."""
        found = _NAME.fullmatch(text)
        if found is None:
            return None
        try:
            claimed_at = Instant.of_millis(int(found[4]))
            return cls(EnvelopeId(found[1]), int(found[2]), Actor(found[3]), claimed_at, int(found[5]), found[6])
        except ValueError:
            return None

    @classmethod
    def of_file(cls, name: str) -> ClaimToken | None:
        """The claim whose file has that name; None if it is no claim's."""
        return cls.parse(name[:-3]) if name.endswith(".md") else None

    @property
    def attendant(self) -> str | None:
        """The process that must be alive for this claim to hold, if the claim is attended."""
        return self.tag[:9] if self.tag.startswith("w") and len(self.tag) > 9 else None

    def lease_ends_at(self, changed: Instant, touched: Instant, now: Instant) -> Instant:
        """The later of claim and last sign of life, plus the lease. A sign before it or ahead counts for nothing.

        A claim that is ahead was made by a clock that is: it counts from ``changed``, the file's ctime.
        """
        begun = changed if changed <= now < self.claimed_at else self.claimed_at
        return (touched if begun < touched <= now else begun).plus(self.lease_s)

    @property
    def file_name(self) -> str:
        return f"{self}.md"

    def __str__(self) -> str:
        return f"{self.id}.{self.attempt}.{self.worker}.{self.claimed_at.millis}.{self.lease_s}.{self.tag}"
