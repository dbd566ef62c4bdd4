"""Where whoever touches hive files stays for as long as that takes, and whoever sets a lock waits until all have left.

It is the kernel's lock on ``.embargo/gate``, shared by those who are inside: a POSIX record lock, as every program of
the hive uses it. Looking for a lock and then acting is not enough, because the lock may come in between.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

# How long an entrant waits for somebody who has the gate alone, and who keeps it for milliseconds.
_ENTER_S_MAX = 5.0
_PAUSE_S = 0.001


class Gate:
    """The gate of one hive, for all threads of this process."""

    def __init__(self, mirror: Path) -> None:
        self._mirror = mirror
        self._file = mirror / "gate"
        self._descriptor: int | None = None
        self._inside = 0
        self._turn = threading.Lock()

    def enter(self) -> None:
        """Goes in; raises ``OSError`` if somebody has the gate alone for too long. ``leave`` must follow."""
        with self._turn:
            if self._inside == 0:
                self._take(time.monotonic() + _ENTER_S_MAX)
            self._inside += 1

    def leave(self) -> None:
        with self._turn:
            self._inside -= 1
            if self._inside == 0 and self._descriptor is not None:
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN)

    def _take(self, end: float) -> None:
        while True:
            if self._descriptor is None:
                self._descriptor = self._open()
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                if time.monotonic() > end:
                    raise TimeoutError(f"{self._file}: held by another process for too long") from None
                time.sleep(_PAUSE_S)
                continue
            if self._is_named():
                return
            # A lock on a file that was replaced keeps nobody out.
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        if not os.path.lexists(self._mirror):
            os.makedirs(self._mirror, exist_ok=True)
            try:
                with open(self._mirror / ".gitignore", "x", encoding="ascii") as ignored:
                    ignored.write("*\n")
            except FileExistsError:
                pass
        flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            return os.open(self._file, os.O_RDWR | os.O_CREAT | flags, 0o600)
        except PermissionError:
            # Who may only read can share the lock all the same.
            return os.open(self._file, os.O_RDONLY | flags)

    def _is_named(self) -> bool:
        try:
            return self._descriptor is not None and os.path.samestat(
                os.fstat(self._descriptor), os.lstat(self._file)
            )
        except FileNotFoundError:
            return False

    def _begin_anew(self) -> None:
        # A forked child has none of its parent's locks, only a descriptor that looks as if it had.
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None
        self._inside = 0
        self._turn = threading.Lock()


# One gate a file in a process: the kernel does not tell a process's locks apart, and closing any descriptor of the file
# drops them all.
_GATES: dict[Path, Gate] = {}
_GATES_TURN = threading.Lock()


def gate_of(mirror: Path) -> Gate:
    """The gate in the mirror's folder, of which there is one in a process."""
    with _GATES_TURN:
        return _GATES.setdefault(mirror, Gate(mirror))


def _after_fork() -> None:
    global _GATES_TURN
    _GATES_TURN = threading.Lock()
    for gate in _GATES.values():
        gate._begin_anew()


os.register_at_fork(after_in_child=_after_fork)
