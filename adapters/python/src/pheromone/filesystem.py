"""What a hive may expect of the file system that it lies on."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pheromone.guard import HIVE, MIRROR

_MOUNTS = Path("/proc/self/mountinfo")

# Their journal takes a file and its names together, as real power cuts have shown of each. POSIX promises nothing of it.
_NAMES_WITH_FILE = frozenset(("ext4", "xfs", "btrfs"))

_known: dict[int, bool] = {}


def forces_names_with_file(folder: Path) -> bool:
    """Whether a file in ``folder`` that was forced to the disk is found under its names after a power cut.

    Not so, whatever the file system, where people put a file ``strict`` into the hive's folder.
    """
    if _is_strict(folder):
        return False
    device = os.lstat(folder).st_dev
    known = _known.get(device)
    if known is None:
        known = _known[device] = _type_of(folder) in _NAMES_WITH_FILE
    return known


def _is_strict(folder: Path) -> bool:
    for part in (folder, *folder.parents):
        if part.name == HIVE:
            return os.path.lexists(part / "strict")
        if part.name == MIRROR:
            return os.path.lexists(part.parent / HIVE / "strict")
    return True


def _type_of(folder: Path) -> str:
    """The type of the file system that was mounted last above ``folder``; empty where the system does not tell."""
    path = os.path.realpath(folder) + "/"
    longest, found = "", ""
    try:
        for line in _MOUNTS.read_text("utf-8", "surrogateescape").splitlines():
            left, _, right = line.partition(" - ")
            mount = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), left.split(" ")[4])
            if path.startswith(mount.rstrip("/") + "/") and len(mount) >= len(longest):
                longest, found = mount, right.split(" ")[0]
    except (OSError, IndexError):
        return ""
    return found
