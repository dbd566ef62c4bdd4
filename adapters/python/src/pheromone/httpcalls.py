"""Calls of a server: with the token, a limit on time and size, and as many tries as are safe."""

from __future__ import annotations

import http.client
import ipaddress
import json
import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pheromone.guard import HIVE, Blocked, Withheld
from pheromone.values import Reach

# A page of ten thousand events, with room to spare.
_ANSWER_BYTES_MAX = 32 << 20
_CHUNK_BYTES = 64 * 1024
_CONNECT_S_MAX = 10.0
_PAUSE_S_FIRST = 0.1
_PAUSE_S_MAX = 5.0
_PORTS = {"http": 80, "https": 443}


class Unreachable(ConnectionError):
    """The server does not answer. Whether it did what was asked is not known: sending mail again is safe."""


class HttpProblem(OSError):
    """The server answered that it did not do it (RFC 9457).

    ``code`` is the word that ``rsm --json`` has for it too, ``more`` what else the problem document says, and
    ``retry_after_s`` when to come again, if the server said so.
    """

    def __init__(self, status: int, body: Mapping[str, Any], retry_after_s: int | None = None) -> None:
        self.status = status
        self.code = str(body.get("code", ""))
        self.detail = str(body.get("detail", ""))
        self.more = dict(body)
        self.retry_after_s = retry_after_s
        said = ", ".join(part for part in (self.code, self.detail) if part)
        super().__init__(f"the server answered {status}{': ' if said else ''}{said}")


@dataclass(frozen=True)
class Answer:
    """What the server said; ``body`` is empty if that was no JSON object."""

    status: int
    body: dict[str, Any]
    text: bytes
    retry_after_s: int | None

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300

    def problem(self) -> Exception:
        """What this answer means where it is no success: a lock, wrong usage, or something else."""
        lock = self.body.get("lock")
        if self.status == 423 and isinstance(lock, dict):
            kind, source = str(lock.get("kind")), str(lock.get("source"))
            reason = str(self.body.get("detail", "")).removeprefix(f"under lock {kind}: ")
            return Withheld(Path(HIVE), Blocked(kind, source, reason))
        if self.status == 422:
            return ValueError(str(self.body.get("detail", "the server can't read the request")))
        return HttpProblem(self.status, self.body, self.retry_after_s)


class Server:
    """Where a hive is served, and how it is called. Safe for several threads.

    Each call has a connection of its own: a kept one that the server has given up can't be told from a call that was
    lost on its way, and most calls must not be made twice.
    """

    def __init__(self, url: str, token: str | None, ca_file: str | None, timeout_s: float, tries_max: int) -> None:
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError(f'url: found "{url}", expected http:// or https:// and a host')
        if parts.username or parts.query or parts.fragment or parts.path not in ("", "/"):
            raise ValueError("url: found more than a host in it, expected that and a port alone")
        if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ValueError("token: found blanks or controls in it, expected one word")
        self._host = parts.hostname
        self._port = parts.port or _PORTS[parts.scheme]
        self.is_here = _is_loopback(self._host)
        if token is not None and parts.scheme == "http" and not self.is_here:
            raise ValueError(f"url: found http:// to {self._host} with a token, expected https://")
        if timeout_s <= 0 or tries_max < 1:
            raise ValueError(f"timeout_s, tries_max: found {timeout_s} and {tries_max}, expected more than 0 of both")
        self.url = url.rstrip("/")
        self._token = token
        self._timeout_s = timeout_s
        self._tries_max = tries_max
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None

    def reach(self) -> Reach:
        """The team's on this machine, else everybody's."""
        return Reach.TEAM if self.is_here else Reach.PUBLIC

    def get(self, path: str, wait_s: float = 0.0) -> Answer:
        return self._call("GET", path, None, "", wait_s, repeat=True)

    def post(self, path: str, kind: str, body: bytes, *, repeat: bool, wait_s: float = 0.0) -> Answer:
        """Posts ``body``; ``repeat`` says whether that may be done again though nobody knows what became of it."""
        return self._call("POST", path, body, kind, wait_s, repeat=repeat)

    def open(
        self, path: str, headers: Mapping[str, str], silence_s: float
    ) -> tuple[http.client.HTTPResponse, socket.socket]:
        """An answer that goes on, read as it comes; one that is silent for too long ends in an ``OSError``."""
        connection = self._connect(min(_CONNECT_S_MAX, self._timeout_s))
        try:
            connected = connection.sock
            connected.settimeout(self._timeout_s)
            connection.request("GET", path, headers={**self._headers(), **headers})
            response = connection.getresponse()
            connected.settimeout(silence_s)
            if response.status != 200:
                answer = _answer(response, connected, time.monotonic() + self._timeout_s)
                raise answer.problem()
            return response, connected
        except BaseException:
            connection.close()
            raise

    def _headers(self) -> dict[str, str]:
        return {} if self._token is None else {"Authorization": f"Bearer {self._token}"}

    def _call(self, method: str, path: str, body: bytes | None, kind: str, wait_s: float, repeat: bool) -> Answer:
        pause_s = _PAUSE_S_FIRST
        for tries in range(1, self._tries_max + 1):
            is_last = tries == self._tries_max
            try:
                connection = self._connect(min(_CONNECT_S_MAX, self._timeout_s))
            except OSError as e:
                # It surely never arrived, so that any call may be made again.
                if is_last or isinstance(e, ssl.SSLError):
                    raise self.unreachable(e) from e
            else:
                try:
                    answer = self._once(connection, method, path, body, kind, self._timeout_s + wait_s)
                    if answer.status != 503 or not repeat or is_last:
                        return answer
                    pause_s = max(pause_s, min(_PAUSE_S_MAX, answer.retry_after_s or 0))
                except (OSError, http.client.HTTPException) as e:
                    if not repeat or is_last:
                        raise self.unreachable(e) from e
                finally:
                    connection.close()
            time.sleep(pause_s)
            pause_s = min(_PAUSE_S_MAX, pause_s * 2)
        raise AssertionError("the last try returns or raises")

    def unreachable(self, e: BaseException) -> Unreachable:
        return Unreachable(f"{self.url} does not answer: {e or type(e).__name__}")

    def _connect(self, timeout_s: float) -> http.client.HTTPConnection:
        connection = (
            http.client.HTTPConnection(self._host, self._port, timeout=timeout_s)
            if self._tls is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=timeout_s, context=self._tls)
        )
        try:
            connection.connect()
            return connection
        except BaseException:
            connection.close()
            raise

    def _once(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        kind: str,
        timeout_s: float,
    ) -> Answer:
        deadline = time.monotonic() + timeout_s
        connected = connection.sock
        connected.settimeout(timeout_s)
        headers = self._headers()
        if kind:
            headers["Content-Type"] = kind
        connection.request(method, path, body, headers)
        return _answer(connection.getresponse(), connected, deadline)


def _answer(response: http.client.HTTPResponse, connected: socket.socket, deadline: float) -> Answer:
    """The whole answer. Each read alone would wait anew: a server that sends a byte now and then ends here too."""
    parts: list[bytes] = []
    size = 0
    expected = response.length
    while True:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the answer takes too long")
        connected.settimeout(left_s)
        part = response.read1(_CHUNK_BYTES)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > _ANSWER_BYTES_MAX:
            raise OSError(f"the answer has more than {_ANSWER_BYTES_MAX} bytes")
    text = b"".join(parts)
    if expected is not None and size < expected:
        # Reading in parts, nobody else notices that the server went in the middle.
        raise http.client.IncompleteRead(text, expected - size)
    wait = response.headers.get("Retry-After", "").strip()
    return Answer(response.status, _object(text), text, int(wait) if re.fullmatch(r"\d{1,9}", wait) else None)


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Several lines, or some other server in between: then the status is all that it said.
        return {}
    return value if isinstance(value, dict) else {}


def _is_loopback(host: str) -> bool:
    """Whether ``host`` can only mean this machine. No name is looked up: it could mean another the next time."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
