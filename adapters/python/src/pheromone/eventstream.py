"""The event log of a served hive as it grows: server-sent events, taken up again after each interruption."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType

from pheromone import httpjson
from pheromone.guard import Withheld
from pheromone.httpcalls import HttpProblem, Server
from pheromone.rse import Event

# The server shows each 15 seconds that it lives.
_SILENCE_S_MAX = 60.0
_PAUSE_S_FIRST = 0.1
_PAUSE_S_MAX = 5.0
_CHUNK_BYTES = 64 * 1024

# Events have 16 KiB at most, those of other writers up to 1 MiB.
_LINE_BYTES_MAX = 2 << 20
# The kinds of events that are entries of the log; of others, such as the one that opens a stream, only the id counts.
_ENTRIES = ("", "bad", "restart")


@dataclass(frozen=True)
class Told:
    """One entry of the log: an event, or why there is none.

    ``cursor`` is the place behind it: who comes back with it gets what follows. ``is_restart`` says that the log was
    replaced by another, whose beginning follows.
    """

    cursor: str
    event: Event | None
    reason: str = ""
    is_restart: bool = False


@dataclass
class _Block:
    """What was read of one server-sent event so far."""

    id: str | None = None
    kind: str = ""
    data: str = ""


class SseReader:
    """Takes server-sent events out of bytes, in whatever pieces they come."""

    def __init__(self) -> None:
        self._rest = b""
        self._block = _Block()

    def feed(self, part: bytes) -> Iterator[tuple[str | None, str, str]]:
        """The id, kind and data of each event that ends in ``part``; of a block without data only its id counts."""
        lines = (self._rest + part).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > _LINE_BYTES_MAX:
            raise OSError(f"the event stream has a line of more than {_LINE_BYTES_MAX} bytes")
        for line in lines:
            text = line.decode(errors="replace").removesuffix("\r")
            if not text:
                block, self._block = self._block, _Block()
                yield block.id, block.kind, block.data
                continue
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if name == "id" and "\0" not in value:
                self._block.id = value
            elif name == "event":
                self._block.kind = value
            elif name == "data":
                self._block.data += f"\n{value}" if self._block.data else value


class EventStream:
    """Follows an event log from ``cursor`` on, which moves with each entry that was given out.

    When it is there, its place in the log is known: from then on nothing is missed, whatever is interrupted. A server
    that can't be reached for ``give_up_s`` ends it with ``Unreachable``. For one reader; any thread may ``close`` it.
    """

    def __init__(self, server: Server, after: str | None, give_up_s: float) -> None:
        self._server = server
        self._give_up_s = give_up_s
        self.cursor = after or ""
        self._ready: deque[Told] = deque()
        # Where the connection has got to, which is beyond the cursor while entries are ready.
        self._reached = self.cursor
        self._turn = threading.Lock()
        self._closed = threading.Event()
        self._response: http.client.HTTPResponse | None = None
        self._connected: socket.socket | None = None
        self._reader = SseReader()
        try:
            self._open()
        except (HttpProblem, Withheld):
            # A wrong token, a lock: here it is the caller's to hear of.
            raise
        except (OSError, http.client.HTTPException) as e:
            raise server.unreachable(e) from e
        end = time.monotonic() + give_up_s
        while not self._more():
            if time.monotonic() > end:
                self.close()
                raise server.unreachable(TimeoutError("it tells no place in the log"))

    def __iter__(self) -> Iterator[Told]:
        return self

    def __next__(self) -> Told:
        while not self._ready:
            if self._closed.is_set():
                raise StopIteration
            self._more()
        told = self._ready.popleft()
        self.cursor = told.cursor
        return told

    def __enter__(self) -> EventStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it; who waits for an event in another thread is let go."""
        self._closed.set()
        with self._turn:
            connected = self._connected
        if connected is not None:
            try:
                # Closing alone would not wake who reads.
                connected.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._drop()

    def _open(self) -> None:
        headers = {"Accept": "text/event-stream"}
        if self._reached:
            headers["Last-Event-ID"] = self._reached
        response, connected = self._server.open("/rse/sse", headers, _SILENCE_S_MAX)
        with self._turn:
            self._response, self._connected = response, connected
        self._reader = SseReader()
        if self._closed.is_set():
            # Meanwhile.
            self._drop()

    def _drop(self) -> None:
        with self._turn:
            response, connected = self._response, self._connected
            self._response = self._connected = None
        if response is not None and connected is not None:
            response.close()
            connected.close()

    def _more(self) -> bool:
        """Takes what came; whether that told a place in the log."""
        response = self._response
        try:
            part = b"" if response is None else response.read1(_CHUNK_BYTES)
            if part:
                return self._take(part)
        except (OSError, ValueError, AttributeError, http.client.HTTPException) as e:
            if isinstance(e, HttpProblem):
                raise
            # The connection is gone, or was closed under our hands.
        self._drop()
        self._come_back()
        return False

    def _take(self, part: bytes) -> bool:
        has_place = False
        for id, kind, data in self._reader.feed(part):
            if id is not None:
                self._reached = id
                has_place = True
            if not data or kind not in _ENTRIES:
                if not self._ready:
                    self.cursor = self._reached
                continue
            self._ready.append(httpjson.understood("event", lambda: self._told(kind, data)))
        return has_place

    def _told(self, kind: str, data: str) -> Told:
        if kind:
            return Told(self._reached, None, json.loads(data)["reason"], kind == "restart")
        return Told(self._reached, httpjson.event(data.encode()))

    def _come_back(self) -> None:
        end = time.monotonic() + self._give_up_s
        pause_s = _PAUSE_S_FIRST
        while not self._closed.is_set():
            try:
                return self._open()
            except HttpProblem as e:
                if e.status != 503:
                    raise
                pause_s = max(pause_s, min(_PAUSE_S_MAX, e.retry_after_s or 0))
                trouble: Exception = e
            except (Withheld, OSError, http.client.HTTPException) as e:
                # A lock that came meanwhile is waited for as a server that is away.
                trouble = e
            if time.monotonic() + pause_s > end:
                if isinstance(trouble, Withheld):
                    raise trouble
                raise self._server.unreachable(trouble) from trouble
            self._closed.wait(pause_s)
            pause_s = min(_PAUSE_S_MAX, pause_s * 2)
