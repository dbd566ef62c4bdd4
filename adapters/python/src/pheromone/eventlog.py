"""The event log of a hive: a file of lines that any number of processes append to at the same time."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pheromone.files import HiveFiles, ends_in_line_end, write_line
from pheromone.guard import HIVE, MIRROR, Blocked, Guard, Withheld
from pheromone.instant import Instant
from pheromone.root import find_root
from pheromone.rse import Event, Json, Reading, read_events
from pheromone.values import Lane

# On disk before the call returns; others when the system writes them, or with the next of these.
_DURABLE = frozenset(("rsm_envelope_emit", "worker_ack", "policy_guard"))

_REPAIR_TRIES_MAX = 100
_REPAIR_PAUSE_S = 0.001
_REMINDER_S = 3600
_LOG_BYTES_MAX = 1 << 30


class EventLog:
    """One log file, behind the locks."""

    def __init__(self, files: HiveFiles, path: Path) -> None:
        self._files = files
        self._path = path

    def append(self, events: Sequence[Event], durable: bool | None = None) -> None:
        """Adds a line for each event, by one write each. Raises ``Withheld`` under a lock.

        ``durable`` says whether they are on the disk when this returns; None leaves that to their types.
        """
        must_sync = any(event.type in _DURABLE for event in events) if durable is None else durable
        lines = [event.to_line() for event in events]
        # Written and forced as one: a lock never comes between the two.
        with self._files.begin():
            is_new = self._files.stat(self._path) is None
            if is_new:
                self._files.make_folder(self._path.parent)
            with self._files.append(self._path) as descriptor:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError(f"{self._path}: found no regular file, expected one")
                _end_last_line(descriptor)
                for line in lines:
                    write_line(descriptor, line)
                if must_sync:
                    os.fsync(descriptor)
            if is_new:
                self._files.sync(self._path.parent)

    def read(self) -> Reading:
        """All that is in the log."""
        try:
            return read_events(self._files.read(self._path, _LOG_BYTES_MAX))
        except FileNotFoundError:
            return Reading()


def _end_last_line(descriptor: int) -> None:
    """Ends a last line that has no line end, because its writer died.

    The lock keeps two from both doing it; who can't get it does it all the same, for an empty line is harmless, and a
    line run into another is not.
    """
    for _ in range(_REPAIR_TRIES_MAX):
        if ends_in_line_end(descriptor):
            return
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            time.sleep(_REPAIR_PAUSE_S)
            continue
        try:
            # A line that is just being written looks like one whose writer died.
            time.sleep(_REPAIR_PAUSE_S)
            if not ends_in_line_end(descriptor):
                write_line(descriptor, b"\n")
            return
        finally:
            fcntl.lockf(descriptor, fcntl.LOCK_UN)
    write_line(descriptor, b"\n")


class Telling:
    """Writes events: into the hive's log, or into the mirror's while that is locked.

    Whoever meets a lock again and again tells it once, once more each hour, and when it is over.
    """

    def __init__(self, files: HiveFiles, root: Path, actor: str) -> None:
        self._root = root
        self._actor = actor
        self.log = EventLog(files, root / HIVE / "telemetry" / "rse.jsonl")
        self._mirror_log = EventLog(files, root / MIRROR / "telemetry" / "rse.jsonl")
        self._met: tuple[Blocked, Path, str, Instant] | None = None
        self._turn = threading.Lock()

    def tell(self, *events: Event, durable: bool | None = None) -> None:
        """Adds events. Under a lock they wait in the mirror, after one that says so."""
        try:
            self.log.append(events, durable)
        except Withheld as e:
            self.withheld(e, "advisory")
            self._mirror_log.append(events, durable)

    def withheld(self, refused: Withheld, mode: str) -> None:
        """Tells that a lock was met: ``advisory`` if something waits in the mirror, ``blocked`` if nothing was done."""
        now = Instant.now()
        with self._turn:
            met = self._met
            if met is not None and met[0] == refused.blocked and now < met[3].plus(_REMINDER_S):
                return
            self._met = (refused.blocked, refused.path, mode, now)
            events = [self._event(refused.blocked, refused.path, mode, now)]
            if refused.blocked.source == "uncertain":
                data = {"topic": "policy-guard", "priority": "P1", "ref": self._name(refused.path), "ttl": "1d"}
                events.append(Event(now, "pheromone_drop", "Governance", self._actor, data))
            self._tell_of_lock(events)

    def free(self) -> None:
        """Tells that the lock that was met is over, if one was."""
        with self._turn:
            met, self._met = self._met, None
            if met is not None:
                self._tell_of_lock([self._event(met[0], met[1], met[2], Instant.now(), over=True)])

    def _event(self, blocked: Blocked, path: Path, mode: str, now: Instant, over: bool = False) -> Event:
        data: dict[str, Json] = {
            "lock": blocked.kind,
            "path": self._name(path),
            "mode": mode,
            "source": blocked.source,
        }
        return Event(now, "policy_guard", "Governance", self._actor, {**data, **({"over": True} if over else {})})

    def _tell_of_lock(self, events: Sequence[Event]) -> None:
        for log in (self.log, self._mirror_log):
            try:
                log.append(events)
                return
            except (Withheld, OSError):
                # Whoever met the lock is told all the same, by the result.
                continue

    def _name(self, path: Path) -> str:
        return os.path.relpath(path, self._root)


_TELLINGS: dict[tuple[Path, str], Telling] = {}


def log_rse(
    type: str | None = None,
    lane: str | None = None,
    actor: str | None = None,
    data: Mapping[str, Json] | None = None,
    *,
    event_type: str | None = None,
    ts: str | Instant | None = None,
    root: Path | str | None = None,
) -> None:
    """Appends one event to the log of the hive around ``root``, or around the working folder.

    ``event_type`` is the older name of ``type``. Under a lock the event waits in the mirror's log, and so does one that
    tells of the lock.
    """
    if type is not None and event_type is not None:
        raise ValueError("type, event_type: found both, expected one")
    kind = type if type is not None else event_type
    if not kind or not kind.strip():
        raise ValueError("type: found nothing, expected a name such as pheromone_drop")
    if not actor or not lane:
        raise ValueError("lane, actor: found nothing, expected both")
    when = Instant.parse(ts) if isinstance(ts, str) else ts or Instant.now()
    found = find_root(root)
    telling = _TELLINGS.get((found, actor))
    if telling is None:
        telling = _TELLINGS.setdefault((found, actor), Telling(HiveFiles(Guard(found)), found, actor))
    telling.tell(Event(when, kind, Lane(lane), actor, dict(data or {})))
