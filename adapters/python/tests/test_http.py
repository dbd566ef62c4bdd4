"""A hive that rsm serves over HTTP, used as one on the disk is."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import shutil
import subprocess
import threading
import unittest
from collections.abc import Callable

from pheromone import EventStream, Hive, HttpHive, HttpProblem, NoSuchInbox, Unreachable, Withheld, log_rse
from pheromone.guard import HIVE
from pheromone.instant import Instant
from pheromone.trust import Signer
from pheromone.values import KeyId
from tests.served import ServedTest
from tests.test_documents import GUIDE


def day_of(hive: Hive | HttpHive) -> list[str]:
    """A day's work, for either kind of hive alike: only how it is opened differs."""
    seen = []
    envelope = hive.write(to="ops", topic="the disk is nearly full", body="93 % of /var\n", lane="Ops", priority="P1")
    seen += [copy.state for copy in hive.send(envelope).copies]
    seen += [copy.state for copy in hive.send(envelope).copies]
    other = hive.write(to="ops", topic="another", id=envelope.id)
    seen += [copy.state for copy in hive.send(other).copies]
    for claim in hive.recv("ops", lease_s=600):
        assert claim.envelope.raw == envelope.raw
        assert claim.lease_ends_at > Instant.now().plus(500)
        seen += [claim.envelope.topic, claim.inbox, str(claim.attempt), claim.check.state, claim.renew().state]
        seen += [hive.release(claim).state, claim.ack().state]
        break
    for claim in hive.recv("ops"):
        answer = claim.reply("cleaned up", to="docs")
        seen += [copy.state for copy in hive.send(answer).copies] + [answer.topic]
        seen += [hive.ack(claim.token, "cleaned up").state, claim.ack("once more").state]
    assert hive.select("ops") is None
    try:
        hive.send(hive.write(to="nowhere", topic="lost"))
    except NoSuchInbox as e:
        seen.append(str(e)[:30])
    events = hive.events()
    assert not events.bad
    done = [event for event in events.events if event.type == "worker_ack" and event.data["status"] == "done"]
    return [*seen, str(len(done))]


class MailTest(ServedTest):
    def test_a_program_changes_one_line(self) -> None:
        self.rsm("init", str(self.root / "second"))
        self.assertEqual(day_of(Hive(self.root / "second", "py-1")), day_of(self.hive()))

    def test_it_is_looked_at_without_being_taken(self) -> None:
        hive = self.hive()
        self.assertTrue({"code", "ops", "docs"} <= set(hive.inboxes()))
        urgent = hive.write(to="code", topic="main is red: \U0001f41d", priority="P0")
        for envelope in (hive.write(to="code", topic="later"), urgent):
            self.assertTrue(hive.send(envelope).is_sent)
        self.assertEqual([urgent.topic, "later"], [one.topic for one in hive.waiting("code")])
        self.assertEqual(["P0"], [one.effective for one in hive.waiting("queen://code", limit=1)])
        letter = hive.read(urgent.id)
        assert letter is not None
        self.assertEqual((urgent.raw, "code", "waiting"), (letter.envelope.raw, letter.inbox, letter.state))
        self.assertIsNone(hive.read("01JD0C5RNH7VZ2Y4T6W8XKAM3B"))
        (claim,) = itertools.islice(hive.recv("code"), 1)
        self.assertIn("P0", claim.rationale)
        self.assertEqual("done", claim.ack().state)
        letter = hive.read(urgent.id)
        assert letter is not None
        self.assertEqual("done", letter.state)

    def test_public_mail_that_holds_a_secret_is_an_error_by_kind_and_not_stored(self) -> None:
        hive, signer = self.hive(), Signer(KeyId("k1"), "ed25519", bytes(range(32)))
        telling = hive.write(to="code", topic="t", body="ask ada@engines.org\n", consent="public")
        with self.assertRaisesRegex(ValueError, "must not become public: email$"):
            hive.send(signer.sign(telling))
        self.assertEqual([], hive.waiting("code"))
        clean = hive.write(to="code", topic="t", body="the parser is slow\n", consent="public")
        self.assertTrue(hive.send(signer.sign(clean)).is_sent)

    def test_a_wrong_token_is_told_and_is_never_shown(self) -> None:
        for hive in (self.hive(token_file=None, token="w" * 30), self.hive(token_file=None)):
            with self.assertRaises(HttpProblem) as caught:
                hive.send(hive.write(to="code", topic="no"))
            self.assertEqual((401, "unauthorized"), (caught.exception.status, caught.exception.code))
            self.assertNotIn("www", f"{caught.exception} {hive!r}")
        with self.assertRaises(HttpProblem, msg="reads from this machine need it too"):
            self.hive(token_file=None).inboxes()
        with self.assertRaises(HttpProblem):
            self.hive(token_file=None, token="w" * 30).follow()

    def test_what_the_server_can_not_take_is_told_as_with_files(self) -> None:
        hive = self.hive()
        with self.assertRaises(ValueError):
            hive.send(hive.write(to="code", topic="to nobody else", consent="private"))
        with self.assertRaises(NoSuchInbox):
            hive.select("nowhere")
        with self.assertRaises(ValueError):
            hive.ack("no-claim")
        for url, token in (("ftp://127.0.0.1", None), ("http://example.org", "secret-secret-secret")):
            with self.assertRaises(ValueError):
                HttpHive(url, "py-1", token=token)
        self.assertEqual([], hive.waiting("code"))

    def test_under_a_lock_mail_and_outcomes_are_kept(self) -> None:
        hive = self.hive()
        hive.send(hive.write(to="code", topic="before"))
        (claim,) = hive.recv("code")
        self.rsm("lock", "hive", "--reason", "release in progress", actor="you")
        envelope = hive.write(to="code", topic="meanwhile")
        for _ in range(2):
            (copy,) = hive.send(envelope).copies
            self.assertEqual("withheld", copy.state)
            self.assertIn(envelope.id, copy.location)
        kept = claim.ack("done meanwhile")
        self.assertEqual("withheld", kept.state)
        self.assertTrue(kept.location)
        looks: list[Callable[[], object]] = [hive.inboxes, hive.events, hive.follow, lambda: hive.select("code")]
        for look in looks:
            with self.assertRaises(Withheld) as caught:
                look()
            blocked = caught.exception.blocked
            self.assertEqual(("do-not-erase", "rotg-2"), (blocked.kind, blocked.source))
        self.rsm("unlock", "hive", "--by", "you", "--release", actor="you")
        (again,) = hive.recv("code", wait_s=5)
        self.assertEqual(envelope.id, again.envelope.id)
        self.assertEqual([claim.envelope.id], self.archived("done", "code"))


    def test_the_guide_goes_as_written(self) -> None:
        blocks = re.findall(r"^```py\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
        written = "\n".join(blocks)
        self.assertIn("http://127.0.0.1:7777", written)
        played = written.replace("http://127.0.0.1:7777", f"http://127.0.0.1:{self.port}")
        printed = io.StringIO()
        home = os.environ.get("HOME", "")
        self.addCleanup(os.environ.__setitem__, "HOME", home)
        os.environ["HOME"] = str(self.home)
        with contextlib.redirect_stdout(printed):
            exec(compile(played, str(GUIDE), "exec"), {})
        self.assertIn("the disk is nearly full", printed.getvalue())
        self.assertIn("worker_ack", printed.getvalue())


class RefusalTest(ServedTest):
    CONFIG = "sender: {waiting: 2}\n"

    def test_who_sends_too_much_hears_when_to_come_again(self) -> None:
        hive = self.hive()
        states = [hive.send(hive.write(to="code", topic=f"t{i}")).copies[0] for i in range(3)]
        self.assertEqual(["delivered", "delivered", "refused"], [copy.state for copy in states])
        self.assertGreater(states[2].retry_after_s, 0)
        self.assertTrue(states[2].reason)


class RestartTest(ServedTest):
    def test_a_killed_server_loses_nothing_and_nothing_is_sent_twice(self) -> None:
        sender, worker = self.hive(tries_max=12), self.hive("py-2")
        states: list[str] = []
        done: list[str] = []

        def work() -> None:
            for claim in worker.recv("code", lease_s=2, wait_s=20):
                try:
                    state = claim.ack().state
                except Unreachable:
                    # Then it comes back when its lease is over.
                    continue
                if state == "done":
                    done.append(claim.envelope.topic)
                if claim.envelope.topic == "last":
                    return

        working = threading.Thread(target=work)
        working.start()
        for i in range(12):
            if i in (4, 8):
                self.kill()
                again = threading.Timer(0.5, self.serve)
                again.start()
                states.append(sender.send(sender.write(to="code", topic=f"t{i}")).copies[0].state)
                again.join()
            else:
                states.append(sender.send(sender.write(to="code", topic=f"t{i}")).copies[0].state)
        sender.send(sender.write(to="code", topic="last", priority="P3"))
        working.join(60)
        self.assertFalse(working.is_alive())
        self.assertEqual({"delivered"}, set(states) - {"duplicate"})
        self.assertIn("last", done)
        self.assertEqual(len(done), len(set(done)), "nothing is done twice")
        active = [path.name[:26] for path in (self.root / HIVE / "active/code").glob("*.md")]
        everywhere = self.archived("done", "code") + self.waiting("code") + active
        self.assertEqual((13, 13), (len(everywhere), len(set(everywhere))), "whose claim was lost comes back")

    def test_without_a_server_it_says_so(self) -> None:
        self.kill()
        hive = self.hive(tries_max=2)
        calls: list[Callable[[], object]] = [
            lambda: hive.send(hive.write(to="code", topic="t")),
            lambda: hive.select("code"),
            hive.follow,
        ]
        for call in calls:
            with self.assertRaises(Unreachable):
                call()
        with self.assertRaises(Unreachable):
            next(hive.recv("code"))


class EventsTest(ServedTest):
    COUNT = 400

    def tell(self, number: int) -> None:
        log_rse("tick", "Ops", "py", {"n": number, "text": "ü" * (number % 40)}, root=self.root)

    def test_the_feed_goes_on_where_it_ended(self) -> None:
        hive = self.hive()
        for i in range(25):
            self.tell(i)
        numbers: list[int] = []
        cursor, more = "0", True
        while more:
            page = hive.feed(cursor, limit=10)
            numbers += [event.data["n"] for event in page.events if event.type == "tick"]
            cursor, more = page.cursor, page.more
        self.assertEqual(list(range(25)), numbers)
        self.tell(25)
        self.assertEqual([25], [event.data["n"] for event in hive.feed(cursor).events])
        (self.root / HIVE / "telemetry/rse.jsonl").write_text("no event\n")
        page = hive.feed(cursor)
        self.assertEqual((True, 1, 0), (page.restarted, len(page.bad), len(page.events)))
        with self.assertRaises(HttpProblem):
            hive.feed("no cursor")

    def test_a_stream_misses_nothing_though_the_server_is_killed(self) -> None:
        self.tell(-1)
        stream = self.hive().follow()
        got: list[int] = []

        def read() -> None:
            for told in stream:
                assert told.event is not None
                got.append(told.event.data["n"])
                if got[-1] == self.COUNT - 1:
                    return

        reading = threading.Thread(target=read)
        reading.start()
        for i in range(self.COUNT):
            self.tell(i)
            if i in (100, 200):
                self.kill()
            if i in (150, 250):
                self.serve()
        reading.join(60)
        stream.close()
        self.assertEqual(list(range(self.COUNT)), got)
        with self.hive().follow(after="0") as again:
            self.assertEqual(list(range(-1, 50)), self.numbers(again, 51))
            place = again.cursor
        with self.hive().follow(after=place) as rest:
            self.assertEqual(list(range(50, self.COUNT)), self.numbers(rest, self.COUNT - 50))

    @staticmethod
    def numbers(stream: EventStream, count: int) -> list[int]:
        return [told.event.data["n"] for told in itertools.islice(stream, count) if told.event is not None]

    def test_who_waits_for_an_event_can_be_let_go(self) -> None:
        stream = self.hive().follow()
        waiting = threading.Thread(target=lambda: list(stream))
        waiting.start()
        stream.close()
        waiting.join(20)
        self.assertFalse(waiting.is_alive())
        self.assertEqual([], list(stream))


class TlsTest(ServedTest):
    SCHEME = "https"
    OPTIONS = ("--tls-key", "key.pem", "--tls-cert", "cert.pem")

    def prepare(self) -> None:
        openssl = shutil.which("openssl")
        if openssl is None:
            self.skipTest("openssl is not installed")
        made = subprocess.run(
            [openssl, *"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split()]
            + [*"-keyout key.pem -out cert.pem -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1".split()],
            cwd=self.root,
            capture_output=True,
            text=True,
        )
        self.assertEqual(0, made.returncode, made.stderr)
        (self.root / "key.pem").chmod(0o600)

    def test_a_server_that_the_given_certificate_vouches_for_is_trusted_and_no_other(self) -> None:
        hive = self.hive(ca_file=self.root / "cert.pem")
        self.assertTrue(hive.send(hive.write(to="code", topic="in a sealed letter")).is_sent)
        with hive.follow(after="0") as stream:
            self.assertEqual("pheromone_drop", getattr(next(stream).event, "type", None))
        with self.assertRaises(Unreachable) as caught:
            self.hive().inboxes()
        self.assertIn("certificate", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
