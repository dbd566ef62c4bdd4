"""The paths that an entry of a lock list covers, as a glob.

``*`` and ``?`` within a name, ``[a-z]``, ``{one,two}``, and ``**`` for any number of folders. What matches a folder
covers all that is in it. Matching takes time in proportion to pattern times path, whatever is in either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LENGTH_MAX = 1024
_ALTERNATIVES_MAX = 256
_ANY_DEPTH = "**"

# What people mean by other rules than these: read by ours it would cover nothing, and nobody would know.
_MISTAKEN = re.compile(r"!|/|~/|[A-Za-z]:[/\\]")


class LockPattern:
    """A glob; fails with ``ValueError`` if it can't be read. Names are compared as they are given."""

    def __init__(self, text: str) -> None:
        if not text.strip():
            raise ValueError("path_pattern: found nothing, expected a path")
        if len(text) > _LENGTH_MAX:
            raise ValueError(f"path_pattern: found {len(text)} characters, expected at most {_LENGTH_MAX}")
        expanded: list[str] = []
        _expand("", text, expanded)
        self.text = text
        self._alternatives = []
        for one in expanded:
            self._alternatives.append(_names(one, text))
            # a**b as some people mean it, across folders; it also covers what it says to others.
            parts = [p if p == _ANY_DEPTH else re.sub(r"\*\*+", "*/**/*", p) for p in one.split("/")]
            if "/".join(parts) != one:
                self._alternatives.append(_names("/".join(parts), text))

    def covers(self, path: Sequence[str]) -> bool:
        """Whether it covers ``path``, given as its names, or a folder that holds it."""
        return any(_follow(pattern, path, whole=True) for pattern in self._alternatives)

    def may_cover_below(self, path: Sequence[str]) -> bool:
        """Whether it could cover something inside the folder ``path``."""
        return any(_follow(pattern, path, whole=False) for pattern in self._alternatives)


def _follow(pattern: list[str], path: Sequence[str], whole: bool) -> bool:
    """Follows all readings of ``pattern`` at once; with ``whole``, whether one ends with the path or before."""
    end = len(pattern)
    live = _skip_depths(pattern, {0})
    for name in path:
        if whole and end in live:
            return True
        following = set()
        for at in live - {end}:
            if pattern[at] == _ANY_DEPTH:
                following.add(at)
            elif _matches(pattern[at], name):
                following.add(at + 1)
        live = _skip_depths(pattern, following)
    return end in live if whole else bool(live - {end})


def _skip_depths(pattern: list[str], live: set[int]) -> set[int]:
    """``**`` may also stand for no folder at all."""
    for at, part in enumerate(pattern):
        if at in live and part == _ANY_DEPTH:
            live.add(at + 1)
    return live


def _names(pattern: str, text: str) -> list[str]:
    if _MISTAKEN.match(pattern):
        raise ValueError(f'path_pattern: found "{text}", expected a path relative to the hive root, and no ! before it')
    names: list[str] = []
    for name in pattern.split("/"):
        if name == "..":
            if not names:
                raise ValueError(f'path_pattern: found "{text}", expected a path inside the hive root')
            names.pop()
        elif name not in ("", "."):
            if name != _ANY_DEPTH:
                _check(name)
            if not (name == _ANY_DEPTH and names and names[-1] == _ANY_DEPTH):
                names.append(name)
    # The root itself, however it is written: everything.
    return names or [_ANY_DEPTH]


def _check(glob: str) -> None:
    at = 0
    while at < len(glob):
        if glob[at] == "[" and _class_end(glob, at) < 0:
            raise ValueError(f'path_pattern: found [ without its ] in "{glob}"')
        if glob[at] == "\\" and at + 1 == len(glob):
            raise ValueError(f'path_pattern: found \\ at the end of "{glob}"')
        at = _end(glob, at)


def _matches(glob: str, name: str) -> bool:
    at = within = star_within = 0
    star = -1
    while within < len(name):
        if at < len(glob) and glob[at] == "*":
            star, star_within = at, within
            at += 1
        elif at < len(glob) and _is_one(glob, at, name[within]):
            at = _end(glob, at)
            within += 1
        elif star >= 0:
            # The last star takes one more; an earlier one never needs to.
            star_within += 1
            within, at = star_within, star + 1
        else:
            return False
    return not glob[at:].strip("*")


def _is_one(glob: str, at: int, character: str) -> bool:
    if glob[at] == "?":
        return True
    if glob[at] == "\\":
        return glob[at + 1] == character
    return _is_in_class(glob, at, character) if glob[at] == "[" else glob[at] == character


def _is_in_class(glob: str, start: int, character: str) -> bool:
    close = _class_end(glob, start) - 1
    at = start + 1
    negated = glob[at] in "!^"
    at += negated
    found = False
    while at < close:
        first = last = glob[at]
        at += 1
        if at + 1 < close and glob[at] == "-":
            last = glob[at + 1]
            at += 2
        found = found or first <= character <= last
    return found != negated


def _end(glob: str, at: int) -> int:
    """Where the element at ``at`` ends."""
    if glob[at] == "\\":
        return min(len(glob), at + 2)
    return max(_class_end(glob, at), at + 1) if glob[at] == "[" else at + 1


def _class_end(glob: str, start: int) -> int:
    """Behind the ``]`` of a class, which may have one as its first member; -1 if there is none."""
    at = start + 1
    if glob[at : at + 1] in ("!", "^"):
        at += 1
    close = glob.find("]", at + 1)
    return -1 if close < 0 else close + 1


def _expand(before: str, rest: str, into: list[str]) -> None:
    """Replaces the first ``{one,two}`` by each of its parts, and so on."""
    at = 0
    while at < len(rest) and rest[at] != "{":
        at = _end(rest, at)
    if at >= len(rest):
        if len(into) == _ALTERNATIVES_MAX:
            raise ValueError(f"path_pattern: found braces for more than {_ALTERNATIVES_MAX} patterns, expected fewer")
        into.append(before + rest)
        return
    parts, end = _braces(rest, at)
    for part in parts:
        _expand(before + rest[:at], part + rest[end:], into)


def _braces(text: str, start: int) -> tuple[list[str], int]:
    parts: list[str] = []
    depth, begin, at = 0, start + 1, start + 1
    while at < len(text):
        here = text[at]
        if here == "{":
            depth += 1
        elif depth:
            depth -= here == "}"
        elif here in ",}":
            parts.append(text[begin:at])
            begin = at + 1
            if here == "}":
                return parts, at + 1
        at = _end(text, at)
    raise ValueError(f'path_pattern: found {{ without its }} in "{text}"')
