"""The characters that a header may contain: printable ones.

Left out are controls, whatever breaks a line for some reader but not for another, byte order marks, and the marks that
make a line read differently from what it says.
"""

from __future__ import annotations

import re

_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


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
