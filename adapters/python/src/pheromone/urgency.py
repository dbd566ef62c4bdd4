"""What decides when a waiting envelope is taken: the pure part of selection, with no clock and no files in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pheromone.instant import NANOS, Instant
from pheromone.values import EnvelopeId, Priority, format_duration, parse_duration

# How far before its arrival an envelope may be dated and still be believed, and how far ahead.
_BACKDATING_S_MAX = 5 * 60
AHEAD_S_MAX = 24 * 3600

_LOWEST_CLASS = 3
DUE_TURN = 4


@dataclass(frozen=True)
class HalfLife:
    """How long it takes an envelope to lose half its weight: a part of its ttl, or the same for all."""

    divisor: int = 4
    fixed_s: int | None = None

    @classmethod
    def parse(cls, text: str) -> HalfLife:
        if not text.startswith("ttl/"):
            return cls(fixed_s=max(1, parse_duration(text)))
        digits = text[4:]
        if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:5]) <= 1_000):
            raise ValueError(f'half_life: found "{text}", expected a duration, or for example ttl/4')
        return cls(divisor=int(digits))

    def nanos_of(self, ttl_s: int) -> int:
        return self.fixed_s * NANOS if self.fixed_s else max(1, ttl_s * NANOS // self.divisor)


@dataclass(frozen=True)
class Urgency:
    """What is known of one waiting copy. ``ts`` is what its sender claims, ``first_seen`` what we know."""

    id: EnvelopeId
    priority: Priority
    ts: Instant
    first_seen: Instant
    ttl_s: int
    half_life: HalfLife = HalfLife()
    failures: int = 0
    not_before: Instant | None = None

    @property
    def order_time(self) -> Instant:
        """The time from which age counts."""
        if self.is_from_the_future:
            return self.first_seen
        return max(self.ts, self.first_seen.plus(-_BACKDATING_S_MAX))

    @property
    def is_from_the_future(self) -> bool:
        return self.ts > self.first_seen

    @property
    def is_absurd(self) -> bool:
        """Whether ``ts`` is so far ahead that the envelope is refused: no clock is that wrong."""
        return self.ts > self.first_seen.plus(AHEAD_S_MAX)

    @property
    def expires_at(self) -> Instant:
        return min(self.ts, self.first_seen).plus(self.ttl_s)

    def is_expired(self, now: Instant) -> bool:
        return now >= self.expires_at

    def is_ready(self, now: Instant) -> bool:
        return self.not_before is None or now >= self.not_before

    def age_nanos(self, now: Instant) -> int:
        return max(0, now.nanos - self.order_time.nanos)

    def effective_class(self, now: Instant) -> int:
        """0 for P0 to 3 for P3, after decay and failures."""
        steps = self.age_nanos(now) // self.half_life.nanos_of(self.ttl_s)
        return min(_LOWEST_CLASS, self.drain_class + steps)

    @property
    def drain_class(self) -> int:
        return min(_LOWEST_CLASS, self.priority.rank + self.failures)

    def weight(self, now: Instant) -> float:
        halvings = self.age_nanos(now) / self.half_life.nanos_of(self.ttl_s)
        return float(2 ** (_LOWEST_CLASS - self.priority.rank) * 2.0**-halvings)

    @property
    def due_at(self) -> Instant:
        """When it ought to have been taken: P0 in the first quarter of its life, P3 by its end."""
        return Instant(self.order_time.nanos + self.ttl_s * NANOS // 4 * (self.priority.rank + 1))

    def rationale(self, now: Instant, turn: str, waiting: int) -> str:
        """Why this one, with the arithmetic."""
        ahead = " (dated ahead: counted from when it was seen)" if self.is_from_the_future else ""
        failed = f", after {self.failures} failed" if self.failures else ""
        left = (self.due_at.nanos - now.nanos) // NANOS
        due = f"{format_duration(-left)} ago" if left < 0 else f"in {format_duration(left)}"
        rule = {"due": f", due turn, due {due}", "drain": f", draining as P{self.drain_class}"}.get(turn, "")
        return (
            f"{self.priority.value}, age {format_duration(self.age_nanos(now) // NANOS)} of"
            f" {format_duration(self.ttl_s)}{ahead}, w {self.weight(now):.1f}, effective"
            f" P{self.effective_class(now)}{failed}{rule}, first of {waiting}"
        )


def turn_of(pick: int, due_turn: int, drain: bool) -> str:
    """The rule for the pick of this number, counted from 1."""
    return "due" if pick % due_turn == 0 else "drain" if drain else "normal"


def in_order(waiting: Iterable[Urgency], now: Instant, turn: str) -> list[Urgency]:
    """Those that may be taken at ``now``, in the order of ``turn``."""
    ready = [u for u in waiting if not u.is_absurd and not u.is_expired(now) and u.is_ready(now)]
    if turn == "due":
        return sorted(ready, key=lambda u: (u.due_at, u.id))
    if turn == "drain":
        return sorted(ready, key=lambda u: (u.drain_class, u.order_time, u.id))
    return sorted(ready, key=lambda u: (u.effective_class(now), u.order_time, u.id))
