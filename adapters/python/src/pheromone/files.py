"""The only way to a hive's files: each step asks the guard, inside the gate, before it touches anything."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pheromone.filesystem import forces_names_with_file
from pheromone.guard import Access, Guard, Pass, Withheld, read_part, read_regular

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_S_MAX = 5.0
_LOCK_PAUSE_S = 0.005
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class HiveFiles:
    """A hive's files behind its locks. Raises ``Withheld`` for what a lock forbids. Safe for several threads."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._stay = threading.local()

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Makes all steps within one operation, under one look at the locks. Never wait inside it."""
        if getattr(self._stay, "locks", None) is not None:
            yield
            return
        with self._guard.enter() as locks:
            self._stay.locks = locks
            try:
                yield
            finally:
                self._stay.locks = None

    def require(self, path: Path, access: Access, content: bytes | None = None) -> None:
        with self.begin():
            locks: Pass = self._stay.locks
            blocked = locks.check(path, access, content)
            if blocked is not None:
                raise Withheld(path, blocked)

    def stat(self, path: Path) -> os.stat_result | None:
        """What the name itself is, not followed if it is a link; None if there is none."""
        with self.begin():
            self.require(path, Access.READ)
            try:
                return os.lstat(path)
            except FileNotFoundError:
                return None

    def is_same(self, one: Path, other: Path) -> bool:
        first, second = self.stat(one), self.stat(other)
        return first is not None and second is not None and os.path.samestat(first, second)

    def list(self, folder: Path) -> list[str]:
        """The names in a folder; none if there is no such folder."""
        with self.begin():
            self.require(folder, Access.READ)
            try:
                return sorted(os.listdir(folder))
            except FileNotFoundError:
                return []

    def read(self, file: Path, size_max: int) -> bytes:
        with self.begin():
            self.require(file, Access.READ)
            return read_regular(file, size_max)

    def read_part(self, file: Path, start: int, size_max: int) -> tuple[bytes, int]:
        """At most ``size_max`` bytes of a regular file and how long it is; a ``start`` below 0 counts from its end."""
        with self.begin():
            self.require(file, Access.READ)
            return read_part(file, start, size_max)

    def create(self, file: Path, content: bytes) -> None:
        """Makes a file that was not there, for its owner alone, and forces it to the disk."""
        with self.begin():
            self.require(file, Access.WRITE, content)
            descriptor = os.open(file, _NEW, 0o600)
            try:
                _write_all(descriptor, content)
                # Never tried again: a second one may succeed without having written anything.
                os.fsync(descriptor)
            except BaseException:
                os.unlink(file)
                raise
            finally:
                os.close(descriptor)

    @contextmanager
    def open_draft(self, file: Path, content: bytes) -> Iterator[int]:
        """Makes a file that was not there, for its owner alone; yields its descriptor, by which it is forced later."""
        with self.begin():
            self.require(file, Access.WRITE, content)
            descriptor = os.open(file, _NEW, 0o600)
            try:
                try:
                    _write_all(descriptor, content)
                except BaseException:
                    os.unlink(file)
                    raise
                yield descriptor
            finally:
                os.close(descriptor)

    @contextmanager
    def open(self, file: Path) -> Iterator[int]:
        """Opens a file that is there; yields its descriptor, by which it is forced whatever it is called by then."""
        with self.begin():
            self.require(file, Access.READ)
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    def force(self, file: Path) -> None:
        """Forces a file that somebody else wrote, and its name, to the disk."""
        with self.open(file) as descriptor:
            os.fsync(descriptor)
            self.sync_names_of_forced(file.parent)

    def sync_names_of_forced(self, folder: Path) -> None:
        """Forces the names in a folder whose files were forced, where the file system does not do both at once."""
        with self.begin():
            self.require(folder, Access.READ)
            if not forces_names_with_file(folder):
                _sync(folder)

    def link(self, existing: Path, name: Path) -> None:
        """Gives the file one more name; fails with ``FileExistsError`` if that is taken."""
        with self.begin():
            self.require(existing, Access.READ)
            self.require(name, Access.WRITE)
            os.link(existing, name, follow_symlinks=False)

    def rename(self, source: Path, target: Path) -> None:
        with self.begin():
            self.require(source, Access.ERASE)
            self.require(target, Access.WRITE)
            os.rename(source, target)

    def remove(self, name: Path) -> None:
        with self.begin():
            self.require(name, Access.ERASE)
            os.unlink(name)

    def touch(self, file: Path) -> None:
        with self.begin():
            self.require(file, Access.WRITE)
            os.utime(file, follow_symlinks=False)

    def make_folder(self, folder: Path) -> None:
        """Makes a folder and those above it, on disk when this returns."""
        with self.begin():
            self.require(folder, Access.WRITE)
            _make_folder(folder)

    def sync(self, folder: Path) -> None:
        """Forces a folder's names to the disk."""
        with self.begin():
            self.require(folder, Access.READ)
            _sync(folder)

    @contextmanager
    def append(self, file: Path) -> Iterator[int]:
        """Opens a file for appending, made if need be; yields its descriptor."""
        with self.begin():
            self.require(file, Access.WRITE)
            descriptor = os.open(file, _APPEND, 0o600)
            try:
                yield descriptor
            finally:
                os.close(descriptor)


    @contextmanager
    def alone(self, file: Path) -> Iterator[None]:
        """Holds the kernel's lock on ``file``, which is made if need be, beside no other process or thread."""
        # Among threads by a lock of our own: to the kernel, a process's locks are one.
        with _ALONE, self.append(file) as descriptor:
            end = time.monotonic() + _LOCK_S_MAX
            while True:
                try:
                    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except (BlockingIOError, PermissionError):
                    if time.monotonic() > end:
                        raise TimeoutError(f"{file}: held by another process for too long") from None
                    time.sleep(_LOCK_PAUSE_S)
            yield


_ALONE = threading.Lock()


def write_line(descriptor: int, line: bytes) -> None:
    """Appends by one write, so that lines of several writers never mix."""
    if os.write(descriptor, line) != len(line):
        raise OSError(errno.ENOSPC, f"wrote only a part of {len(line)} bytes, disk full?")


def ends_in_line_end(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) in (b"\n", b"")


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        # Another may have made it just now, and not have forced it yet.
        with suppress(FileExistsError):
            os.mkdir(folder)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
