"""An envelope's text cut into header fields and body, by grammar alone: what the fields mean is not looked at.

The grammar is a small part of YAML: whatever is read here, a YAML reader reads too, with the same values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

HEADER_BYTES_MAX = 8 * 1024
BODY_BYTES_MAX = 64 * 1024
KEYS_MAX = 64
KEY_LENGTH_MAX = 64

# Both limits, a byte order mark, and two lines of --- that end in CR LF.
ENVELOPE_BYTES_MAX = 3 + 2 * 5 + HEADER_BYTES_MAX + BODY_BYTES_MAX

_PROBLEM_LENGTH_MAX = 300
_BOM = b"\xef\xbb\xbf"
_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_FLOW_INDICATORS = frozenset(",[]{}")


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


def describe(character: str) -> str:
    """What kind of character a forbidden one is."""
    code = ord(character)
    kinds = {0x09: "a tab", 0x0D: "a carriage return without a line feed", 0xFEFF: "a byte order mark"}
    if code in kinds:
        kind = kinds[code]
    elif code <= 0x9F:
        kind = "a control character"
    elif 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069:
        kind = "a bidirectional control"
    elif code in (0x2028, 0x2029):
        kind = "a line separator"
    else:
        kind = "no character"
    return f"{kind} (U+{code:04X})"


def first_forbidden(text: str) -> re.Match[str] | None:
    """The first character that no header may contain."""
    return _FORBIDDEN.search(text)


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
        value = _Value(self, key, text, len(key) + 1)
        shape, values = value.read()
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
        item = _Value(self, owner.key, text, dash + 1).read_item()
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

    def error(self, key: str, index: int, problem: str) -> MalformedEnvelope:
        return self._error(key, index, problem)


class _Value:
    """Reads what stands after a key or a list item's dash, within one line."""

    def __init__(self, scanner: _Scanner, key: str, text: str, at: int) -> None:
        self.scanner = scanner
        self.key = key
        self.text = text
        self.at = at
        self._skip_spaces()

    def read(self) -> tuple[str, tuple[str, ...]]:
        if self._peek() in ("", "#"):
            return "empty", ()
        if self._peek() == "[":
            items = self._flow_list()
            self._expect_end()
            return "list", items
        value = self._scalar(in_list=False)
        self._expect_end()
        return "scalar", (value,)

    def read_item(self) -> str:
        if self._peek() in ("", "#"):
            raise self._error("found an empty list item, expected a value")
        value = self._scalar(in_list=False)
        self._expect_end()
        return value

    def _flow_list(self) -> tuple[str, ...]:
        self.at += 1
        self._skip_spaces()
        if self._peek() == "]":
            self.at += 1
            return ()
        items: list[str] = []
        while True:
            if not self._peek():
                raise self._error("found no closing ], expected the list to end on its line")
            items.append(self._scalar(in_list=True))
            self._skip_spaces()
            if self._peek() == "]":
                self.at += 1
                return tuple(items)
            if self._peek() != ",":
                raise self._error("found no , or ] after a list item, expected the list to end on its line")
            self.at += 1
            self._skip_spaces()

    def _scalar(self, in_list: bool) -> str:
        if self._peek() == '"':
            return self._double_quoted()
        return self._single_quoted() if self._peek() == "'" else self._plain(in_list)

    def _plain(self, in_list: bool) -> str:
        first, second = self._peek(), self._peek(1)
        if first in _INDICATORS:
            may_begin = first == "-" or (not in_list and first in ":?")
            if not may_begin or second in ("", " ") or (in_list and second in _FLOW_INDICATORS):
                raise self._error(f"found a value beginning with {first}, expected quotes around it")
        start = self.at
        while self._peek() and not self._ends_plain(in_list):
            self.at += 1
        return self.text[start : self.at].rstrip(" ")

    def _ends_plain(self, in_list: bool) -> bool:
        """Whether the character here is no longer part of a plain scalar; fails where a YAML reader would stumble."""
        here, following = self._peek(), self._peek(1)
        if here == ":" and (following in ("", " ") or (in_list and following in _FLOW_INDICATORS)):
            raise self._error("found a colon and a space in a value, expected quotes around it")
        if in_list and here in _FLOW_INDICATORS:
            if here in ",]":
                return True
            raise self._error(f'found "{here}" in a list item, expected quotes around it')
        return here == "#" and self.text[self.at - 1] == " "

    def _single_quoted(self) -> str:
        self.at += 1
        start = self.at
        while self._peek():
            if self._peek() != "'":
                self.at += 1
            elif self._peek(1) == "'":
                self.at += 2
            else:
                self.at += 1
                return self.text[start : self.at - 1].replace("''", "'")
        raise self._unclosed_quote()

    def _double_quoted(self) -> str:
        self.at += 1
        parts: list[str] = []
        while self._peek():
            if self._peek() == '"':
                self.at += 1
                return "".join(parts)
            if self._peek() == "\\":
                parts.append(self._escaped())
            else:
                parts.append(self._peek())
                self.at += 1
        raise self._unclosed_quote()

    def _escaped(self) -> str:
        """The character that the escape here stands for; moves behind it."""
        backslash, kind = self.at, self._peek(1)
        self.at += 2
        if kind in ("\\", '"', "/"):
            character = kind
        elif kind in ("t", "n", "r"):
            character = {"t": "\t", "n": "\n", "r": "\r"}[kind]
        elif kind == "x":
            character = chr(self._hex(2))
        elif kind == "u":
            character = self._unicode()
        else:
            self.at = backslash
            raise self._error('found an unknown escape, expected one of \\\\ \\" \\/ \\xXX \\uXXXX')
        if first_forbidden(character):
            self.at = backslash
            raise self._error(f"found an escape for {describe(character)}, expected printable characters only")
        return character

    def _unicode(self) -> str:
        """The character of ``uXXXX``, or of two of them that are a surrogate pair."""
        first = self._hex(4)
        if not 0xD800 <= first <= 0xDBFF or self.text[self.at : self.at + 2] != "\\u":
            return chr(first)
        behind_first = self.at
        self.at += 2
        second = self._hex(4)
        if 0xDC00 <= second <= 0xDFFF:
            return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        self.at = behind_first
        return chr(first)

    def _hex(self, digits: int) -> int:
        text = self.text[self.at : self.at + digits]
        good = re.match(r"[0-9a-fA-F]*", text)
        count = len(good[0]) if good else 0
        self.at += count
        if count < digits:
            raise self._error(f"found an escape that is cut short, expected {digits} hexadecimal digits")
        return int(text, 16)

    def _expect_end(self) -> None:
        """After a value there may be spaces, and a comment with a space before it."""
        spaced = self._peek() in ("", " ") or self.text[self.at - 1] == " "
        self._skip_spaces()
        if self._peek() and not (spaced and self._peek() == "#"):
            raise self._error("found more text after the value, expected the end of the line")

    def _skip_spaces(self) -> None:
        while self._peek() == " ":
            self.at += 1

    def _peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def _unclosed_quote(self) -> MalformedEnvelope:
        return self._error("found no closing quote, expected the value to end on its line")

    def _error(self, problem: str) -> MalformedEnvelope:
        return self.scanner.error(self.key, self.at, problem)
