"""An envelope's text cut into header fields and body, by grammar alone: what the fields mean is not looked at.

The grammar is a small part of YAML: whatever is read here, a YAML reader reads too, with the same values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from pheromone.characters import describe, first_forbidden
from pheromone.scalar import ValueScanner

HEADER_BYTES_MAX = 8 * 1024
BODY_BYTES_MAX = 64 * 1024
KEYS_MAX = 64
KEY_LENGTH_MAX = 64

# Both limits, a byte order mark, and two lines of --- that end in CR LF.
ENVELOPE_BYTES_MAX = 3 + 2 * 5 + HEADER_BYTES_MAX + BODY_BYTES_MAX

_PROBLEM_LENGTH_MAX = 300
_BOM = b"\xef\xbb\xbf"
_KEY = re.compile(r"[a-z][a-z0-9_]*")


class MalformedEnvelope(ValueError):
    """What is wrong with a text that was to be an envelope, and where: lines and columns count from 1."""

    def __init__(self, line: int, column: int, field: str | None, problem: str, incomplete: bool = False) -> None:
        self.line = line
        self.column = column
        self.field = field
        self.problem = problem if len(problem) <= _PROBLEM_LENGTH_MAX else problem[:_PROBLEM_LENGTH_MAX] + "…"
        # More bytes could make it whole: its writer may not be done.
        self.incomplete = incomplete
        super().__init__(f"line {line}: {field + ': ' if field else ''}{self.problem}")


@dataclass(frozen=True)
class Field:
    """One header field: its texts (one, unless it is a list), the line of its key, and where its lines lie."""

    key: str
    values: tuple[str, ...]
    shape: str  # "empty", "scalar" or "list"
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class EnvelopeText:
    """The bytes of an envelope, and where in them header, fields and body lie."""

    raw: bytes = field(repr=False)
    fields: tuple[Field, ...]
    header_start: int
    header_end: int
    body_start: int
    closing_line: int

    @classmethod
    def parse(cls, raw: bytes) -> EnvelopeText:
        text = _Scanner(raw).scan()
        length = len(raw) - text.body_start
        if length > BODY_BYTES_MAX:
            raise MalformedEnvelope(
                text.closing_line + 1,
                1,
                "body",
                f"found {length} bytes, expected at most {BODY_BYTES_MAX}; larger content goes into attachments",
            )
        return text

    def find(self, key: str) -> Field | None:
        return next((field for field in self.fields if field.key == key), None)

    @property
    def body(self) -> bytes:
        return self.raw[self.body_start :]

    @property
    def line_end(self) -> bytes:
        """The line end that the opening line has."""
        return b"\r\n" if self.raw[self.header_start - 2 : self.header_start] == b"\r\n" else b"\n"

    def with_line(self, key: str, value: str, place: int) -> bytes:
        """The bytes with that field's lines replaced, or with a new line at ``place``; all others stay."""
        old = self.find(key)
        start, end = (place, place) if old is None else (old.start, old.end)
        return self.raw[:start] + f"{key}: {value}".encode() + self.line_end + self.raw[end:]


class _Scanner:
    """Reads a header line by line."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.line = 1
        self.header_start = self._after_opening_line(3 if raw.startswith(_BOM) else 0)
        limit = self.header_start + HEADER_BYTES_MAX + len("---\r\n")
        # Nothing is read from here on: either the text ends, or the header has become too long.
        self.end = min(len(raw), limit)
        self.cut_by_limit = len(raw) > limit
        self.fields: list[Field] = []
        # How far the items of the list that is open are indented; -1 if the first decides, None if none is open.
        self.item_indent: int | None = None

    def scan(self) -> EnvelopeText:
        start = self.header_start
        while True:
            self.line += 1
            if start >= self.end:
                raise self._unclosed()
            text, after, ended = self._read_line(start)
            if text == "---":
                if start - self.header_start > HEADER_BYTES_MAX:
                    raise self._too_long()
                return EnvelopeText(self.raw, tuple(self.fields), self.header_start, start, after, self.line)
            if not ended:
                raise self._unclosed()
            if "a" <= text[:1] <= "z":
                self._read_field(text, start, after)
            elif not text.startswith("#") and text.strip(" "):
                self._read_item(text, after)
            start = after

    def _read_line(self, start: int) -> tuple[str, int, bool]:
        """The line at ``start``, where the next begins, and whether it has its line end; its characters are good."""
        feed = self.raw.find(b"\n", start, self.end)
        after = self.end if feed < 0 else feed + 1
        stop = self.end if feed < 0 else feed
        if feed > start and self.raw[feed - 1] == 0x0D:
            stop -= 1
        part = self.raw[start:stop]
        not_utf8: UnicodeDecodeError | None = None
        try:
            text = part.decode()
        except UnicodeDecodeError as e:
            not_utf8 = e
            text = part[: e.start].decode()
        forbidden = first_forbidden(text)
        if forbidden:
            found = describe(forbidden[0])
            raise self._error(None, forbidden.start(), f"found {found}, expected printable characters only")
        if not_utf8 is not None:
            if feed < 0 and not_utf8.end == len(part) and not_utf8.reason == "unexpected end of data":
                raise self._unclosed()
            byte = part[not_utf8.start]
            raise self._error(None, len(text), f"found a byte that is not UTF-8 (0x{byte:02X}), expected UTF-8")
        return text, after, feed >= 0

    def _read_field(self, text: str, start: int, after: int) -> None:
        matched = _KEY.match(text)
        key = matched[0] if matched else ""
        if len(key) > KEY_LENGTH_MAX:
            problem = f"found a key of more than {KEY_LENGTH_MAX} characters, expected a shorter one"
            raise self._error(None, 0, problem)
        if text[len(key) : len(key) + 1] != ":":
            problem = f'found no colon after "{key}", expected a key of a-z, 0-9 and _, and a colon'
            raise self._error(None, len(key), problem)
        for earlier in self.fields:
            if earlier.key == key:
                problem = f"found a second time, first in line {earlier.line}, expected once"
                raise self._error(key, 0, problem)
        if len(self.fields) == KEYS_MAX:
            raise self._error(None, 0, f"found more than {KEYS_MAX} keys, expected at most that")
        if text[len(key) + 1 : len(key) + 2] not in ("", " "):
            raise self._error(None, len(key) + 1, "found no space after the colon, expected one")
        shape, values = self._value(key, text, len(key) + 1).read()
        self.item_indent = -1 if shape == "empty" else None
        self.fields.append(Field(key, values, shape, self.line, start, after))

    def _read_item(self, text: str, after: int) -> None:
        """Reads ``- item``, which belongs to the field before it."""
        dash = len(text) - len(text.lstrip(" "))
        if text[dash] != "-" or text[dash + 1 : dash + 2] not in ("", " "):
            found = "found an indented line, expected a key at column 1"
            raise self._error(None, dash, found if dash else "found no key, expected one that begins with a-z")
        if self.item_indent not in (-1, dash):
            problem = "found a list item, expected one only below a key without a value, and the next below it"
            raise self._error(None, dash, problem)
        owner = self.fields[-1]
        item = self._value(owner.key, text, dash + 1).read_item()
        self.item_indent = dash
        self.fields[-1] = replace(owner, values=owner.values + (item,), shape="list", end=after)

    def _after_opening_line(self, start: int) -> int:
        opening = self.raw[start : start + 5]
        for i in range(3):
            if i == len(opening):
                raise self._unopened()
            if opening[i] != 0x2D:
                raise MalformedEnvelope(1, 1, None, "found no opening line, expected ---")
        rest = opening[3:]
        if rest in (b"", b"\r"):
            raise self._unopened()
        if rest.startswith(b"\n"):
            return start + 4
        if rest == b"\r\n":
            return start + 5
        raise MalformedEnvelope(1, 4, None, "found more than --- in the opening line, expected only that")

    @staticmethod
    def _unopened() -> MalformedEnvelope:
        return MalformedEnvelope(1, 1, None, "found the end of the text, expected an opening line ---", True)

    def _unclosed(self) -> MalformedEnvelope:
        problem = "found no closing line ---, expected one at the end of the header"
        return self._too_long() if self.cut_by_limit else MalformedEnvelope(self.line, 1, None, problem, True)

    def _too_long(self) -> MalformedEnvelope:
        problem = f"header: found more than {HEADER_BYTES_MAX} bytes without a closing line ---, expected at most that"
        return MalformedEnvelope(self.line, 1, None, problem)

    def _error(self, key: str | None, index: int, problem: str) -> MalformedEnvelope:
        return MalformedEnvelope(self.line, index + 1, key, problem)

    def _value(self, key: str, text: str, at: int) -> ValueScanner:
        return ValueScanner(text, at, lambda index, problem: self._error(key, index, problem))
