"""What stands after a key or a list item's dash in a header: a plain or quoted scalar, or a flow list."""

from __future__ import annotations

import re
from collections.abc import Callable

from pheromone.characters import describe, first_forbidden

_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_FLOW_INDICATORS = frozenset(",[]{}")
_SPECIAL = re.compile(r"[:#,\[\]{}]")


class ValueScanner:
    """Reads what stands after a key or a list item's dash, within one line."""

    def __init__(self, text: str, at: int, error: Callable[[int, str], ValueError]) -> None:
        self.text = text
        self.at = at
        self._error_at = error
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
        while True:
            # Only these could end it.
            special = _SPECIAL.search(self.text, self.at)
            self.at = special.start() if special else len(self.text)
            if special is None or self._ends_plain(in_list):
                break
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

    def _unclosed_quote(self) -> ValueError:
        return self._error("found no closing quote, expected the value to end on its line")

    def _error(self, problem: str) -> ValueError:
        return self._error_at(self.at, problem)
