"""Moments in time, to the nanosecond and for the years 0000 to 9999: more than ``datetime`` can hold."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

NANOS = 1_000_000_000
_MILLION = 1_000_000
_DAY_S = 86_400
_SHOWN_MAX = 40

# The years that four digits can write.
_FIRST_S = -62_167_219_200
_LAST_S = 253_402_300_799

# Above this a bare number counts milliseconds, below it seconds: as seconds it would be the year 5138.
_MILLIS_MIN = 1e11

_STRICT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_LOOSE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ]+(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?"
    r" ?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?",
    re.ASCII,
)


@dataclass(frozen=True, order=True)
class Instant:
    """A moment, as nanoseconds since 1970 in UTC."""

    nanos: int

    @classmethod
    def now(cls) -> Instant:
        return cls(time.time_ns())

    @classmethod
    def of_millis(cls, millis: int) -> Instant:
        return cls(millis * _MILLION)

    @classmethod
    def parse(cls, text: str) -> Instant:
        """The time as envelopes write it: ``2025-10-15T17:12:03Z``, up to nine fractional digits, any offset."""
        found = _STRICT.fullmatch(text)
        moment = None if found is None else _moment(found, need_zone=True)
        if moment is None:
            shown = text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "…"
            raise ValueError(f'found "{shown}", expected a time such as 2025-10-15T17:12:03Z')
        return moment

    @classmethod
    def parse_loosely(cls, text: str) -> Instant | None:
        """The time as logs of others have it: a space for the T, no seconds, no zone (then it is UTC)."""
        found = _LOOSE.fullmatch(text.strip())
        moment = None if found is None else _moment(found, need_zone=False)
        return moment if moment is not None and moment._has_four_digits() else None

    @classmethod
    def of_number(cls, number: float) -> Instant | None:
        """The time that a bare number says: seconds, or milliseconds, since 1970."""
        millis = number * 1_000 if abs(number) < _MILLIS_MIN else number
        if not abs(millis) < _LAST_S * 1_000:
            return None
        moment = cls.of_millis(int(millis))
        return moment if moment._has_four_digits() else None

    def plus(self, seconds: int) -> Instant:
        return Instant(self.nanos + seconds * NANOS)

    @property
    def millis(self) -> int:
        return self.nanos // _MILLION

    def to_datetime(self) -> datetime:
        """To the microsecond, in UTC; the year 0000 has none."""
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=self.nanos // 1_000)

    def day(self) -> str:
        return self._seconds_text()[:10]

    def to_millis_text(self) -> str:
        """As event logs write it: always three fractional digits."""
        return f"{self._seconds_text()}.{self.nanos % NANOS // _MILLION:03}Z"

    def to_header_text(self) -> str:
        """As envelopes write it: to the millisecond, without a fraction if that is zero."""
        return str(Instant.of_millis(self.millis))

    def __str__(self) -> str:
        fraction = f"{self.nanos % NANOS:09}"
        while fraction.endswith("000"):
            fraction = fraction[:-3]
        return self._seconds_text() + (f".{fraction}" if fraction else "") + "Z"

    def _seconds_text(self) -> str:
        days, second = divmod(self.nanos // NANOS, _DAY_S)
        year, month, day = _civil(days)
        return f"{year:04}-{month:02}-{day:02}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"

    def _has_four_digits(self) -> bool:
        return _FIRST_S <= self.nanos // NANOS <= _LAST_S


def _moment(found: re.Match[str], need_zone: bool) -> Instant | None:
    year, month, day = (int(found[i]) for i in (1, 2, 3))
    hour, minute, second = (int(found[i] or 0) for i in (4, 5, 6))
    offset_hours, offset_minutes = int(found[9] or 0), int(found[10] or 0)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= month <= 12 and 1 <= day <= lengths[month - 1]):
        return None
    if hour > 23 or minute > 59 or second > 59 or offset_hours > 23 or offset_minutes > 59:
        return None
    if not need_zone and offset_hours * 60 + offset_minutes > 18 * 60:
        return None
    offset = (offset_hours * 60 + offset_minutes) * 60 * (-1 if found[8] == "-" else 1)
    seconds = _days(year, month, day) * _DAY_S + (hour * 60 + minute) * 60 + second - offset
    return Instant(seconds * NANOS + int((found[7] or "0").ljust(9, "0")))


# The calendar in whole numbers, because datetime begins with the year 1. Years are counted from March on, so that the
# leap day is a year's last.


def _days(year: int, month: int, day: int) -> int:
    """How many days the date is after 1970-01-01."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _civil(days: int) -> tuple[int, int, int]:
    """The date so many days after 1970-01-01."""
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1
