"""When an inbox is too full, and when one sender sends too much: the pure rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pheromone.instant import NANOS, Instant
from pheromone.values import Domain, Priority

# It ends below this part of what began it, so that it does not come and go with each letter.
_LEAVING = 0.8
_P1_DELAY_MS_MAX = 2_000
_DELAYS_BY_AGE_MS = {Priority.P2: 1_000, Priority.P3: 3_000}

# So many sends of one sender in a minute pass an inbox of old mail at once: where nobody works is no overload.
_UNDELAYED_PER_MINUTE = 5
_RETRY_S_MIN = 5
_RETRY_S_MAX = 60

# So many times as far above its end as the limit is, and the longest wait is right.
_EXCESS_MAX = 10

_REPLY_HOPS_MIN = 2
PAIR_PER_MINUTE_MAX = 20
_REPLIES_PER_MINUTE_MAX = 20
_WAITING_RETRY_S = 30
_MINUTE_NANOS = 60 * NANOS
# How far a time may lie ahead: clocks are set back by moments.
_AHEAD_NANOS_MAX = 10 * NANOS
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


@dataclass(frozen=True)
class Admission:
    """What an inbox does to one envelope: lets it in after a delay, or refuses it for a time; ``reason`` says why."""

    delay_ms: int = 0
    retry_after_s: int = 0
    reason: str = ""
    by_sender: bool = False
    """Whether it is refused for its sender's own doing."""

    @property
    def is_refused(self) -> bool:
        return self.retry_after_s > 0


@dataclass(frozen=True)
class PressureLimits:
    depth_max: int = 1_000
    oldest_age_s_max: int = 600

    def entered(self, depth: int, oldest_age_s: float) -> str | None:
        """Why an inbox with this load comes under backpressure: ``depth``, ``age`` or not at all."""
        return "depth" if depth > self.depth_max else "age" if oldest_age_s > self.oldest_age_s_max else None

    def is_over(self, depth: int, oldest_age_s: float) -> bool:
        """Whether an inbox that was under backpressure no longer is."""
        return depth < _LEAVING * self.depth_max and oldest_age_s < _LEAVING * self.oldest_age_s_max

    def admit(
        self, priority: Priority, inbox: Domain, held: str | None, depth: int, oldest_age_s: float, sent: int
    ) -> Admission:
        """What ``inbox`` does to an envelope.

        ``held`` is why the inbox is under backpressure already, if it is; ``sent`` how many envelopes the sender put
        into it in the last minute.
        """
        leaving = _LEAVING * self.depth_max
        if depth > self.depth_max or (held == "depth" and depth >= leaving):
            return self._by_depth(priority, depth, (depth - leaving) / (self.depth_max - leaving))
        too_old = held is not None or self.entered(depth, oldest_age_s) is not None
        # A person reads when they have time: that is no reason to keep mail from them.
        delay_ms = _DELAYS_BY_AGE_MS.get(priority, 0)
        if not too_old or inbox.startswith("user-") or sent < _UNDELAYED_PER_MINUTE or not delay_ms:
            return Admission()
        return Admission(delay_ms=delay_ms, reason=self._old(oldest_age_s))

    def _old(self, oldest_age_s: float) -> str:
        if oldest_age_s < _LEAVING * self.oldest_age_s_max:
            # Who goes by the mark alone does not know the age of the oldest.
            return "mail there has waited for too long"
        unit, name = next((one for one in _UNITS if oldest_age_s >= one[0]), _UNITS[-1])
        return f"the oldest mail there is {int(oldest_age_s // unit)}{name} old"

    def _by_depth(self, priority: Priority, depth: int, excess: float) -> Admission:
        if priority is Priority.P0:
            return Admission()
        reason = f"the inbox is full: {depth} waiting, limit {self.depth_max}"
        if priority is Priority.P1:
            delay_ms = round(_P1_DELAY_MS_MAX * min(1.0, max(0.0, excess)))
            return Admission(delay_ms=delay_ms, reason=reason if delay_ms else "")
        wait = max(_RETRY_S_MIN, math.ceil(_RETRY_S_MAX * min(1.0, max(0.0, excess / _EXCESS_MAX))))
        return Admission(retry_after_s=wait, reason=reason)


@dataclass(frozen=True)
class Sent:
    """One envelope that a sender put into an inbox."""

    at: Instant
    priority: Priority
    hops: int

    def counts(self, now: Instant) -> bool:
        """Whether it is of the last minute. What a wrong clock said to be much later is not, and keeps nobody waiting."""
        return now.nanos - _MINUTE_NANOS < self.at.nanos <= now.nanos + _AHEAD_NANOS_MAX


@dataclass(frozen=True)
class SenderLimits:
    waiting_max: int = 100
    per_minute_max: int = 60
    p0_per_minute_max: int = 5

    def admit(
        self, priority: Priority, hops: int, sent: Sequence[Sent], waiting: int, answers: int, now: Instant
    ) -> Admission:
        """Whether a sender may put in one more.

        ``sent`` is what it put in before, ``waiting`` how many of that wait, ``answers`` how many the inbox's owner put
        into the sender's own inboxes in the last minute.
        """
        if waiting >= self.waiting_max:
            reason = f"found {waiting} waiting from this sender, expected fewer than {self.waiting_max}"
            return Admission(retry_after_s=_WAITING_RETRY_S, reason=reason)
        recent = [one for one in sent if one.counts(now)]
        p0 = [one for one in recent if one.priority is Priority.P0]
        replies = [one for one in recent if one.hops >= _REPLY_HOPS_MIN]
        if len(recent) >= self.per_minute_max:
            return _too_many(recent, self.per_minute_max, now, "")
        if priority is Priority.P0 and len(p0) >= self.p0_per_minute_max:
            return _too_many(p0, self.p0_per_minute_max, now, " P0")
        if hops >= _REPLY_HOPS_MIN and len(replies) >= _REPLIES_PER_MINUTE_MAX:
            return _too_many(replies, _REPLIES_PER_MINUTE_MAX, now, " answers to answers")
        if min(len(recent), answers) >= PAIR_PER_MINUTE_MAX:
            return _too_many(recent, PAIR_PER_MINUTE_MAX, now, " each way between this pair")
        return Admission()


def _too_many(sent: Sequence[Sent], limit: int, now: Instant, what: str) -> Admission:
    """Refused until enough of these are older than a minute."""
    times = sorted(one.at.nanos for one in sent)
    wait = times[len(times) - limit] + _MINUTE_NANOS - now.nanos
    reason = f"found {len(sent)}{what} from this sender in the last minute, expected fewer than {limit}"
    # A clock that went back must not make anybody wait for longer than the minute.
    return Admission(retry_after_s=max(1, -(-min(wait, _MINUTE_NANOS) // NANOS)), reason=reason)
