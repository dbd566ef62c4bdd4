"""A small part of YAML: enough for what people write into a hive's configuration and lock lists.

Block maps and lists, flow lists and maps on one line, plain and quoted scalars. Everything else is refused, never
guessed: a lock list that is not understood locks everything.
"""

from __future__ import annotations

import re
from typing import List, Union

from pheromone.characters import first_forbidden

BYTES_MAX = 256 * 1024
_DEPTH_MAX = 16
_KEY = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*)[ ]*:(?=[ ]|$)")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_ESCAPES = {"\\": "\\", '"': '"', "/": "/", "n": "\n", "t": "\t"}
_NOTHING = ("", "~", "null", "Null", "NULL")

# A text, nothing, a list or a map.
Node = Union[str, None, List["Node"], "dict[str, Node]"]


class MalformedYaml(ValueError):
    """What is wrong with a configuration file, and in which line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


class _Line:
    def __init__(self, number: int, indent: int, text: str) -> None:
        self.number = number
        self.indent = indent
        self.text = text

    @property
    def is_item(self) -> bool:
        return self.text == "-" or self.text.startswith("- ")


def parse(raw: bytes) -> Node:
    """The root of the file; None if there is nothing in it but comments."""
    if len(raw) > BYTES_MAX:
        raise MalformedYaml(1, f"found {len(raw)} bytes, expected at most {BYTES_MAX}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MalformedYaml(1, "found bytes that are not UTF-8, expected UTF-8") from None
    reader = _Reader(_lines(text))
    root = reader.block(-1, 0)
    if reader.lines:
        raise MalformedYaml(reader.lines[0].number, "found a line that fits none of the lists and maps above it")
    return root


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        content = line[:-1] if line.endswith("\r") else line
        if first_forbidden(content):
            raise MalformedYaml(number, "found a tab or a control character, expected printable ones")
        stripped = content.strip(" ")
        if stripped and not stripped.startswith("#") and not (content == "---" and not lines):
            lines.append(_Line(number, len(content) - len(content.lstrip(" ")), stripped))
    return lines


class _Reader:
    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines

    def block(self, parent_indent: int, depth: int) -> Node:
        """What stands below a line of ``parent_indent``; nothing if the next line is not below it."""
        if not self.lines or self.lines[0].indent <= parent_indent:
            return None
        if depth > _DEPTH_MAX:
            raise MalformedYaml(self.lines[0].number, f"found more than {_DEPTH_MAX} levels, expected at most that")
        first = self.lines[0]
        if first.is_item:
            return self._items(first.indent, depth)
        if _KEY.match(first.text):
            return self._entries(first.indent, depth)
        self.lines.pop(0)
        return self._whole(first, first.text)

    def _items(self, indent: int, depth: int) -> list[Node]:
        items: list[Node] = []
        while self.lines and self.lines[0].indent == indent and self.lines[0].is_item:
            line = self.lines.pop(0)
            rest = line.text[1:].lstrip(" ")
            if not rest or rest.startswith("#"):
                items.append(self.block(indent, depth + 1))
            else:
                # What follows the dash is a line of its own, as deep as it stands.
                self.lines.insert(0, _Line(line.number, indent + len(line.text) - len(rest), rest))
                items.append(self.block(indent, depth + 1))
        return items

    def _entries(self, indent: int, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while self.lines and self.lines[0].indent == indent and not self.lines[0].is_item:
            line = self.lines.pop(0)
            found = _KEY.match(line.text)
            if found is None:
                raise MalformedYaml(line.number, "found no key, expected one and a colon")
            if found[1] in entries:
                raise MalformedYaml(line.number, f"{found[1]}: found a second time, expected once")
            rest = line.text[found.end() :].lstrip(" ")
            if rest and not rest.startswith("#"):
                entries[found[1]] = self._whole(line, rest)
            elif self.lines and self.lines[0].indent == indent and self.lines[0].is_item:
                entries[found[1]] = self._items(indent, depth + 1)
            else:
                entries[found[1]] = self.block(indent, depth + 1)
        return entries

    def _whole(self, line: _Line, text: str) -> Node:
        if self.lines and self.lines[0].indent > line.indent:
            raise MalformedYaml(self.lines[0].number, "found a value that goes on, expected it on one line")
        return _Flow(line.number, text).whole()


class _Flow:
    """Reads a value within one line."""

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text
        self.at = 0

    def whole(self) -> Node:
        node = self._node(0, in_flow=False)
        spaced = self._peek() in ("", " ") or self.text[self.at - 1] == " "
        self._skip_spaces()
        if self._peek() and not (spaced and self._peek() == "#"):
            raise self._error("found more text after the value, expected the end of the line")
        return node

    def _node(self, depth: int, in_flow: bool) -> Node:
        if depth > _DEPTH_MAX:
            raise self._error(f"found more than {_DEPTH_MAX} levels, expected at most that")
        if self._peek() == "[":
            return self._list(depth)
        if self._peek() == "{":
            return self._map(depth)
        if self._peek() in ("'", '"'):
            return self._quoted()
        plain = self._plain(in_flow)
        return None if plain in _NOTHING else plain

    def _list(self, depth: int) -> Node:
        items: list[Node] = []
        self.at += 1
        while self._next("]"):
            items.append(self._node(depth + 1, in_flow=True))
            self._separator("]")
        return items

    def _map(self, depth: int) -> Node:
        entries: dict[str, Node] = {}
        self.at += 1
        while self._next("}"):
            found = _KEY.match(self.text[self.at :])
            if found is None or found[1] in entries:
                raise self._error("found no key, or one a second time, expected a key and a colon")
            self.at += found.end()
            self._skip_spaces()
            entries[found[1]] = None if self._peek() in (",", "}") else self._node(depth + 1, in_flow=True)
            self._separator("}")
        return entries

    def _next(self, close: str) -> bool:
        """Whether another item stands here; moves behind the bracket if not."""
        self._skip_spaces()
        if self._peek() == close:
            self.at += 1
            return False
        return True

    def _separator(self, close: str) -> None:
        self._skip_spaces()
        if self._peek() == ",":
            self.at += 1
        elif self._peek() != close:
            raise self._error(f"found no , or {close}, expected the value to end on its line")

    def _plain(self, in_flow: bool) -> str:
        start, first, second = self.at, self._peek(), self._peek(1)
        # A word may begin with a dash.
        if first in _INDICATORS and not (first == "-" and second not in ("", " ", ",", "[", "]", "{", "}")):
            raise self._error(f"found a value beginning with {first}, expected quotes around it")
        while self._peek():
            here, following = self._peek(), self._peek(1)
            if here == ":" and (following in ("", " ") or (in_flow and following in ",[]{}")):
                raise self._error("found a colon and a space in a value, expected quotes around it")
            if in_flow and here == "?" and following in ("", " ", ",", "]", "}"):
                raise self._error("found a question mark that not all read alike, expected quotes around it")
            if here == "#" and self.text[self.at - 1] == " ":
                break
            if in_flow and here in ",[]{}":
                break
            self.at += 1
        return self.text[start : self.at].rstrip(" ")

    def _quoted(self) -> str:
        quote = self._peek()
        self.at += 1
        parts: list[str] = []
        while self._peek():
            here = self._peek()
            self.at += 1
            if here == "\\" and quote == '"':
                parts.append(self._escaped())
            elif here != quote:
                parts.append(here)
            elif quote == "'" and self._peek() == "'":
                parts.append("'")
                self.at += 1
            else:
                return "".join(parts)
        raise self._error("found no closing quote, expected the value to end on its line")

    def _escaped(self) -> str:
        kind = self._peek()
        self.at += 1
        if kind in _ESCAPES:
            return _ESCAPES[kind]
        digits = self.text[self.at : self.at + {"x": 2, "u": 4}.get(kind, 0)]
        if kind not in ("x", "u") or not re.fullmatch("[0-9a-fA-F]{2}|[0-9a-fA-F]{4}", digits):
            raise self._error("found an escape that is not known here")
        self.at += len(digits)
        return chr(int(digits, 16))

    def _skip_spaces(self) -> None:
        while self._peek() == " ":
            self.at += 1

    def _peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def _error(self, problem: str) -> MalformedYaml:
        return MalformedYaml(self.line, problem)
