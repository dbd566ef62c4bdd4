"""The senders that an inbox refuses for their own doing, told to the log at once and then once a minute."""

from __future__ import annotations

import os
from pathlib import Path

from pheromone.files import HiveFiles
from pheromone.guard import Withheld
from pheromone.instant import NANOS, Instant
from pheromone.journal import Journal
from pheromone.layout import Layout
from pheromone.values import Actor, Domain, random_tag

_TOLD_EVERY_NANOS = 60 * NANOS
_BYTES_MAX = 256 * 1024


class Refusals:
    """A file for each sender: when the log was told and why, and a dot for each refusal since.

    Whoever renames the file away tells what it counts. Losing it is harmless, and nothing about it stops anybody.
    """

    def __init__(self, files: HiveFiles, layout: Layout, journal: Journal) -> None:
        self._files = files
        self._layout = layout
        self._journal = journal

    def add(self, domain: Domain, sender: Actor, reason: str, now: Instant) -> None:
        """Counts a refusal, and tells the log if that is due."""
        file = self._layout.state(domain) / "refused" / sender.file_name
        try:
            self._add(file, domain, sender, reason, now)
        except Withheld:
            raise
        except OSError as e:
            self._journal.trouble(f"refusals of {sender} at {domain}", e)

    def _add(self, file: Path, domain: Domain, sender: Actor, reason: str, now: Instant) -> None:
        note = self._read(file)
        if note is not None and note[0].nanos <= now.nanos < note[0].nanos + _TOLD_EVERY_NANOS:
            self._count(file)
            return
        before, since = 0, now
        if self._files.stat(file) is not None:
            aside = file.parent / f".{file.name}.{random_tag(8)}"
            try:
                self._files.rename(file, aside)
            except FileNotFoundError:
                # Another process tells this moment.
                self._count(file)
                return
            told_at, before = self._read(aside) or (now, 0)
            since = told_at if before else now
            self._files.remove(aside)
        try:
            self._files.make_folder(file.parent)
            self._files.create(file, f"{now.millis} {reason}\n".encode())
        except FileExistsError:
            self._count(file)
        else:
            self._journal.refused(domain, sender, before + 1, since, reason, now)

    def _read(self, file: Path) -> tuple[Instant, int] | None:
        """When the log was told, and how many refusals there were since; None if there is no such note."""
        try:
            line, end, dots = self._files.read(file, _BYTES_MAX + 1).partition(b"\n")
            return (Instant.of_millis(int(line.partition(b" ")[0])), len(dots)) if end else None
        except Withheld:
            raise
        except (OSError, ValueError):
            return None

    def _count(self, file: Path) -> None:
        status = self._files.stat(file)
        if status is not None and status.st_size < _BYTES_MAX:
            with self._files.append(file) as descriptor:
                os.write(descriptor, b".")
