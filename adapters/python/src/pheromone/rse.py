"""Events (RSE): one JSON object a line, written strictly and read whatever is in the log."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pheromone.instant import Instant
from pheromone.values import ContentHash, Lane

WRITTEN_BYTES_MAX = 16 * 1024
READ_BYTES_MAX = 1024 * 1024

_DEPTH_MAX = 128
_NUMBER_LENGTH_MAX = 1_000
_LANE_LENGTH_MAX = 64
_NAME_LENGTH_MAX = 128
_CHARS_PER_ITEM = 16
_BOM = b"\xef\xbb\xbf"
_FIVE = ("ts", "type", "lane", "actor", "data")

# What remains of data that is too long whatever happens: it says what the event is about.
_IDENTIFYING = frozenset(
    "id ref inbox attempt status reason topic name lock mode basis action path hash corrects consent truncated".split()
)

# What Unicode calls white space, less the spaces that don't break: the same in every language.
_SPACES = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)

# A JSON value; numbers that are not whole are Decimals, so that none is rounded.
Json = Any


@dataclass(frozen=True)
class Event:
    """Something that happened. ``ts`` is None if the log does not say when."""

    ts: Instant | None
    type: str
    lane: str
    actor: str
    data: dict[str, Json] = field(default_factory=dict)

    def to_line(self) -> bytes:
        """The line of the event, with its line end; data that would make it too long is cut, and says so."""
        line = self._line(self.type, self.actor, self.data)
        if len(line) <= WRITTEN_BYTES_MAX:
            return line
        kind, actor = _shortened(self.type, _NAME_LENGTH_MAX), _shortened(self.actor, _NAME_LENGTH_MAX)
        ref = self.data.get("ref")
        if not isinstance(ref, str):
            ref = ContentHash.of(to_json(self.data).encode())
        whole = {**self.data, "truncated": True, "ref": ref}
        for length in (4_096, 1_024, 256, 64):
            line = self._line(kind, actor, _cut(whole, length))
            if len(line) <= WRITTEN_BYTES_MAX:
                return line
        names = {k: _cut(v, _NAME_LENGTH_MAX) for k, v in whole.items() if k in _IDENTIFYING and _is_single(v)}
        return self._line(kind, actor, names)

    def _line(self, kind: str, actor: str, data: Mapping[str, Json]) -> bytes:
        ts = (self.ts or Instant.now()).to_millis_text()
        values = {"ts": ts, "type": kind, "lane": self.lane, "actor": actor, "data": data}
        return (to_json(values) + "\n").encode()


@dataclass
class Reading:
    """What a log holds: its events in order, why lines are bad, and whether the last is held back."""

    events: list[Event] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    torn: bool = False


def read_events(log: bytes) -> Reading:
    """Reads an event log, or the beginning of one. No content stops it."""
    reading = Reading()
    lines = log.split(b"\n")
    last = lines.pop()
    for line in lines:
        _read_line(line, reading)
    if last:
        whole = Reading()
        _read_line(last, whole)
        if whole.events or not whole.bad:
            reading.events += whole.events
            reading.bad += whole.bad
        else:
            # Its writer may not be done.
            reading.torn = True
    return reading


def to_json(value: Json) -> str:
    """A JSON text on one line; what is no JSON value raises ``TypeError``."""
    if isinstance(value, str):
        text = json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
        return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    if value is None or isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, (float, Decimal)):
        # Not numbers to JSON.
        if value != value or value in (float("inf"), float("-inf")):
            return to_json("NaN" if value != value else "Infinity" if value > 0 else "-Infinity")
        return str(value) if isinstance(value, Decimal) else json.dumps(value)
    if isinstance(value, Mapping):
        return "{%s}" % ",".join(f"{to_json(str(key))}:{to_json(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "[%s]" % ",".join(to_json(item) for item in value)
    raise TypeError(f"data: found {type(value).__name__}, expected a JSON value")


def parse_json(text: str) -> Json:
    """A JSON value; equal names: the last counts. ``NaN`` and its like are strings. Raises ``ValueError``."""
    depth = 0
    for token in _STRUCTURE.finditer(text):
        depth += 1 if token[0] in "[{" else -1 if token[0] in "]}" else 0
        if depth > _DEPTH_MAX:
            raise ValueError(f"found more than {_DEPTH_MAX} levels, expected at most that")
    return json.loads(text, parse_int=_whole, parse_float=_decimal, parse_constant=str)


def _whole(digits: str) -> int | Decimal:
    return _decimal(digits) if digits == "-0" else int(_checked(digits))


def _decimal(digits: str) -> Decimal:
    return Decimal(_checked(digits))


def _checked(digits: str) -> str:
    if len(digits) > _NUMBER_LENGTH_MAX:
        raise ValueError(f"found a number of {len(digits)} characters, expected at most {_NUMBER_LENGTH_MAX}")
    return digits


def _read_line(line: bytes, reading: Reading) -> None:
    if len(line) > READ_BYTES_MAX:
        reading.bad.append(f"line has {len(line)} bytes, expected at most {READ_BYTES_MAX}")
        return
    text = _decoded(line)
    if not text:
        return
    try:
        value = parse_json(text)
    except (ValueError, ArithmeticError, RecursionError) as e:
        reading.bad.append(f"not JSON: {e}")
        return
    items = value if isinstance(value, list) else [value]
    problems = [problem for problem in (_read_one(item, reading) for item in items) if problem]
    if problems:
        of = f"{len(problems)} of {len(items)} in an array: " if isinstance(value, list) else ""
        reading.bad.append(of + problems[0])


def _read_one(value: Json, reading: Reading) -> str | None:
    """Adds the event in ``value``, or returns why there is none."""
    if not isinstance(value, dict):
        return f"found {type(value).__name__}, expected an event object"
    kind = _text(value, "type") or _text(value, "event")
    if not kind:
        return "type: found nothing, expected a name such as pheromone_drop"
    lane = _text(value, "lane") or _text(value, "target")
    reading.events.append(
        Event(
            _time(value.get("ts")),
            kind,
            Lane(_shortened(lane, _LANE_LENGTH_MAX)) if lane else "unknown",
            _text(value, "actor") or "unknown",
            _data(value),
        )
    )
    return None


def _time(ts: Json) -> Instant | None:
    if isinstance(ts, str):
        return Instant.parse_loosely(ts.strip(_SPACES))
    if isinstance(ts, bool) or not isinstance(ts, (int, Decimal)):
        return None
    try:
        return Instant.of_number(float(ts))
    except OverflowError:
        return None


def _data(value: dict[str, Json]) -> dict[str, Json]:
    """The data, and every field beside the five that carries more than they do."""
    others = {name: item for name, item in value.items() if name not in _FIVE}
    if not _text(value, "type"):
        others.pop("event", None)
    if not _text(value, "lane"):
        others.pop("target", None)
    if "data" in value:
        given = value["data"]
        data = given if isinstance(given, dict) else {} if given is None else {"value": given}
    else:
        data = others.pop("note") if isinstance(others.get("note"), dict) else {}
    return {**data, **{name: item for name, item in others.items() if name not in data}}


def _text(value: dict[str, Json], name: str) -> str:
    text = value.get(name)
    return text.strip(_SPACES) if isinstance(text, str) else ""


def _decoded(line: bytes) -> str:
    """The text of the line without byte order marks and white space around it."""
    while line.startswith(_BOM):
        line = line[len(_BOM) :]
    try:
        return line.decode().strip(_SPACES)
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace").strip(_SPACES)


def _cut(value: Json, length: int) -> Json:
    if isinstance(value, str):
        return _shortened(value, length)
    if isinstance(value, (list, tuple)):
        count = length // _CHARS_PER_ITEM
        return [_cut(item, length) for item in value[:count]] + (["…"] if len(value) > count else [])
    if isinstance(value, Mapping):
        kept: dict[str, Json] = {}
        for name, item in value.items():
            if len(kept) < length // _CHARS_PER_ITEM or name in _IDENTIFYING:
                kept[_shortened(str(name), _NAME_LENGTH_MAX)] = _cut(item, length)
        return kept
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and len(str(value)) > length:
        return _shortened(str(value), length)
    return value


def _is_single(value: Json) -> bool:
    return not isinstance(value, (list, tuple, Mapping))


def _shortened(text: str, length_max: int) -> str:
    return text if len(text) <= length_max else text[: length_max - 1] + "…"
