"""What a client does when a server is slow, busy, confused or gone in the midst of a call."""

from __future__ import annotations

import socket
import threading
import time
import unittest
from collections.abc import Callable

from pheromone import HttpHive, HttpProblem, Settlement, Unreachable
from pheromone.eventstream import SseReader

JSON = "Content-Type: application/json\r\n"
Script = Callable[[socket.socket, bytes], None]


def answer(status: int, body: str = "", headers: str = JSON) -> Script:
    def play(connected: socket.socket, _: bytes) -> None:
        raw = body.encode()
        connected.sendall(f"HTTP/1.1 {status} X\r\n{headers}Content-Length: {len(raw)}\r\n\r\n".encode() + raw)

    return play


def hang_up(connected: socket.socket, _: bytes) -> None:
    """Takes the call, and dies before it answers."""


def break_off(connected: socket.socket, _: bytes) -> None:
    """Dies in the midst of its answer."""
    connected.sendall(b'HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n{"ok":true}')


def drip(connected: socket.socket, asked: bytes) -> None:
    """Never silent, and never done."""
    connected.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n")
    try:
        for _ in range(200):
            connected.sendall(b" ")
            time.sleep(0.05)
    except OSError:
        pass


class ScriptedServer:
    """Plays one script a connection, then the last again and again; keeps what it was asked."""

    def __init__(self, *scripts: Script) -> None:
        self.asked: list[bytes] = []
        self._scripts = list(scripts)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                connected, _ = self._listening.accept()
            except OSError:
                return
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            with connected:
                connected.settimeout(10)
                asked = self._read(connected)
                self.asked.append(asked)
                script(connected, asked)

    @staticmethod
    def _read(connected: socket.socket) -> bytes:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += connected.recv(65_536)
        head, _, body = asked.partition(b"\r\n\r\n")
        lengths = [int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        while len(body) < sum(lengths):
            body += connected.recv(65_536)
        return head + b"\r\n\r\n" + body

    def close(self) -> None:
        self._listening.close()


class ScriptedTest(unittest.TestCase):
    """A test with servers that do as they are told."""

    def serve(self, *scripts: Script, timeout_s: float = 0.5, tries_max: int = 3) -> tuple[ScriptedServer, HttpHive]:
        server = ScriptedServer(*scripts)
        self.addCleanup(server.close)
        url = f"http://127.0.0.1:{server.port}"
        return server, HttpHive(url, "py-1", token="t" * 20, timeout_s=timeout_s, tries_max=tries_max)


class FailuresTest(ScriptedTest):
    def delivered(self, envelope_id: str) -> str:
        copy = '{"address":"queen://code","inbox":"code","state":"delivered","confirmed":true}'
        return f'{{"ok":true,"id":"{envelope_id}","hash":"sha256:{"0" * 64}","to":[{copy}]}}'

    def test_a_lost_answer_is_asked_for_again_with_the_same_bytes(self) -> None:
        template = HttpHive("http://127.0.0.1:1", "py-1")
        envelope = template.write(to="code", topic="once")
        busy = answer(503, '{"code":"io"}')
        server, hive = self.serve(hang_up, busy, answer(201, self.delivered(envelope.id)))
        self.assertEqual("delivered", hive.send(envelope).copies[0].state)
        self.assertEqual(3, len(server.asked))
        self.assertEqual({envelope.raw}, {asked.partition(b"\r\n\r\n")[2] for asked in server.asked})
        self.assertIn(b"Authorization: Bearer " + b"t" * 20, server.asked[0])

    def test_what_must_not_be_done_twice_is_not_asked_twice(self) -> None:
        for script in (hang_up, break_off):
            server, hive = self.serve(script)
            with self.assertRaises(Unreachable):
                hive.select("code")
            self.assertEqual(1, len(server.asked))

    def test_how_work_ended_is_said_again(self) -> None:
        calls: list[tuple[str, Callable[[HttpHive], Settlement]]] = [
            ("done", lambda hive: hive.ack("code.x")),
            ("waiting", lambda hive: hive.fail("code.x", "no")),
            ("waiting", lambda hive: hive.release("code.x")),
        ]
        for state, call in calls:
            server, hive = self.serve(hang_up, answer(200, f'{{"ok":true,"claim":"code.x","state":"{state}"}}'))
            self.assertEqual(state, call(hive).state)
            self.assertEqual(2, len(server.asked))

    def test_a_server_that_is_silent_or_drips_is_given_up(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)

        def stay_silent(connected: socket.socket, asked: bytes) -> None:
            over.wait(20)

        for script in (stay_silent, drip):
            _, hive = self.serve(script, tries_max=1)
            began = time.monotonic()
            with self.assertRaises(Unreachable):
                hive.inboxes()
            self.assertLess(time.monotonic() - began, 5)

    def test_a_problem_says_what_it_is_and_when_to_come_again(self) -> None:
        body = '{"type":"urn:pheromone:problem:refused","status":429,"code":"refused","detail":"not now"}'
        problem = answer(429, body, "Content-Type: application/problem+json\r\nRetry-After: 7\r\n")
        server, hive = self.serve(problem)
        with self.assertRaises(HttpProblem) as caught:
            hive.inboxes()
        found = caught.exception
        self.assertEqual((429, "refused", "not now", 7), (found.status, found.code, found.detail, found.retry_after_s))
        self.assertEqual("the server answered 429: refused, not now", str(found))
        self.assertEqual(1, len(server.asked), "who is refused does not insist")

    def test_refused_mail_is_told_copy_by_copy(self) -> None:
        envelope = HttpHive("http://127.0.0.1:1", "py-1").write(to="code", topic="too much")
        copy = '{"address":"queen://code","inbox":"code","state":"refused","reason":"full","retry_after_s":9}'
        body = f'{{"code":"refused","id":"{envelope.id}","hash":"{envelope.hash}","to":[{copy}]}}'
        _, hive = self.serve(answer(429, body, "Content-Type: application/problem+json\r\nRetry-After: 9\r\n"))
        (refused,) = hive.send(envelope).copies
        self.assertEqual(("refused", "full", 9), (refused.state, refused.reason, refused.retry_after_s))

    def test_another_kind_of_server_is_no_hive(self) -> None:
        for script in (answer(200, "<html>hello</html>"), answer(200, '{"items":[{}]}'), answer(200, "[" * 100_000)):
            _, hive = self.serve(script)
            with self.assertRaises(HttpProblem):
                hive.inboxes()
            with self.assertRaises(HttpProblem):
                hive.feed()
        _, hive = self.serve(lambda connected, _: connected.sendall(b"220 smtp\r\n"))
        with self.assertRaises(Unreachable):
            hive.inboxes()


class StreamTest(ScriptedTest):
    def stream(self, *blocks: str) -> Script:
        """Answers with these blocks, one chunk each, and breaks off in the midst of another."""

        def play(connected: socket.socket, _: bytes) -> None:
            connected.sendall(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
            for block in (*blocks, "id: 99-half\ndata: {"):
                raw = block.encode()
                connected.sendall(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")

        return play

    @staticmethod
    def tick(number: int) -> str:
        event = f'{{"ts":"2026-11-16T08:00:00.000Z","type":"tick","lane":"Ops","actor":"a","data":{{"n":{number}}}}}'
        return f"id: c{number}\ndata: {event}\n\n"

    PLACE = 'id: c0\nevent: place\ndata: {"cursor":"c0","reason":"it begins here"}\n\n'

    def test_it_comes_back_with_the_last_whole_event(self) -> None:
        server, hive = self.serve(
            self.stream(self.PLACE, self.tick(1), self.tick(2)),
            answer(503, "{}"),
            self.stream("id: c2\n\n", ":\n\n", self.tick(3), "id: c4\nevent: bad\ndata: {\"reason\":\"torn\"}\n\n"),
            self.stream("id: c4\n\n", "id: c5\nevent: restart\ndata: {\"reason\":\"replaced\"}\n\n", self.tick(6)),
        )
        with hive.follow() as stream:
            self.assertEqual("c0", stream.cursor)
            told = [next(stream) for _ in range(6)]
            self.assertEqual(told[-1].cursor, stream.cursor)
        self.assertEqual(["c1", "c2", "c3", "c4", "c5", "c6"], [one.cursor for one in told])
        self.assertEqual([1, 2, 3, None, None, 6], [one.event and one.event.data["n"] for one in told])
        self.assertEqual(["torn", "replaced"], [one.reason for one in told[3:5]])
        self.assertEqual([False, True], [one.is_restart for one in told[3:5]])
        shown = [asked.partition(b"Last-Event-ID: ")[2].split(b"\r\n")[0] for asked in server.asked]
        self.assertEqual([b"", b"c2", b"c2", b"c4"], shown[:4])

    def test_a_server_that_stays_away_is_given_up(self) -> None:
        _, hive = self.serve(self.stream("id: c0\n\n"), answer(503, "{}"))
        stream = hive.follow(give_up_s=0.5)
        with self.assertRaises(Unreachable):
            next(stream)
        self.assertEqual("c0", stream.cursor, "another stream goes on there")

    def test_events_come_in_any_pieces(self) -> None:
        text = "id: 1\r\ndata: one\ndata: two\n\n: comment\nevent: bad\ndata:x\n\nid\n\n".encode()
        expected = [("1", "", "one\ntwo"), (None, "bad", "x"), ("", "", "")]
        for size in (1, 3, 7, len(text)):
            reader = SseReader()
            parts = [text[i : i + size] for i in range(0, len(text), size)]
            self.assertEqual(expected, [block for part in parts for block in reader.feed(part)])


if __name__ == "__main__":
    unittest.main()
