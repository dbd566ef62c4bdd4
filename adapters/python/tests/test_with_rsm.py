"""The same hive, used by this package and by rsm at the same time."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest

from pheromone import Hive, Signer, log_rse
from pheromone.ed25519 import public_key
from pheromone.guard import HIVE, HIVE_LOCK, MIRROR
from pheromone.values import KeyId
from tests.hives import PATIENCE_S, REPOSITORY, HiveTest, finish, python

IS_BUILT = (REPOSITORY / "target/rsm/stamp").is_file()
NOT_BUILT = "rsm is not built, type ./rsm --version"


class RsmTest(HiveTest):
    def setUp(self) -> None:
        if not IS_BUILT and os.environ.get("CI") == "true":
            self.fail(NOT_BUILT)
        if not IS_BUILT:
            self.skipTest(NOT_BUILT)
        super().setUp()

    def make_hive(self) -> None:
        self.home = self.root / "home"
        self.home.mkdir()
        self.rsm("init", str(self.root))

    def start(self, *arguments: str, actor: str = "java-1") -> "subprocess.Popen[str]":
        """Types a command outside of any agent's session."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "RSM_NO_BUILD": "1",
            "RSM_ACTOR": actor,
        }
        return subprocess.Popen(
            [str(REPOSITORY / "rsm"), *arguments],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ran(self, *arguments: str, actor: str = "java-1") -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments, actor=actor)
        printed, problems = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, printed, problems)

    def rsm(self, *arguments: str, actor: str = "java-1") -> str:
        ran = self.ran(*arguments, actor=actor)
        self.assertEqual(0, ran.returncode, f"rsm {' '.join(arguments)}: {ran.stderr}")
        return ran.stdout


class MailTest(RsmTest):
    def test_mail_from_here_is_taken_answered_and_done_there(self) -> None:
        envelope = self.sender.write(
            to="code", topic="Grüße: 'so' #1 \U0001f40e", body="a body\n---\nwith lines\r\n", lane="UI", tags=["x, y"]
        )
        receipt = self.sender.send(envelope)
        self.assertIn("good, from nightly-job", self.rsm("verify", receipt.path))
        claim = self.rsm("select", "--quiet", "code").strip()
        self.assertIn(envelope.topic, self.rsm("read", claim))
        self.rsm("ack", claim, "done", "--reply", "thank you")
        self.assertEqual([envelope.id], self.archived("done", "code"))
        (answer,) = self.sender.recv(self.sender.address)
        self.assertEqual(envelope.id, answer.envelope.correlation_id)
        self.assertEqual("thank you", answer.envelope.body_text.strip())
        self.assertEqual("done", answer.ack().state)
        self.assertIn("nothing is wrong", self.rsm("doctor"))

    def test_mail_from_there_is_taken_and_done_here(self) -> None:
        self.rsm("send", "--to", "code", "--priority", "P1", "please review the parser")
        self.rsm("send", "--to", "code", "--priority", "P0", "main is red")
        (first, second) = self.worker.recv("code")
        self.assertEqual(["main is red", "please review the parser"], [first.envelope.topic, second.envelope.topic])
        self.assertEqual("done", first.ack("fixed in 4f2c1ab").state)
        self.assertEqual("waiting", second.release().state)
        self.assertIn(second.envelope.id[-6:].lower(), self.rsm("inbox", "code"))
        self.assertIn("main is red", self.rsm("archive"))
        third = self.worker.select("code")
        assert third is not None
        self.assertEqual("waiting", third.fail("no idea").state)
        self.assertIn("1 paused", self.ran("select", "code").stderr)
        self.assertIn("nothing is wrong", self.rsm("doctor"))

    def test_a_claim_of_one_is_finished_by_the_other(self) -> None:
        self.sender.send(self.sender.write(to="code", topic="taken there"))
        token = self.rsm("select", "--quiet", "code").strip()
        self.assertEqual("done", Hive(self.root, "java-1").ack(token, "finished here").state)
        self.sender.send(self.sender.write(to="code", topic="taken here"))
        claim = self.worker.select("code")
        assert claim is not None
        self.rsm("ack", claim.token, "done", actor="claude-7f3a")
        self.assertEqual("done", claim.ack().state, "it only asks once more")
        self.assertEqual(2, len(self.archived("done", "code")))

    def test_signed_mail_holds_in_both_directions(self) -> None:
        seed = bytes(range(32))
        trust = f"format: 1\nkeys:\n- kid: py\n  algorithm: ed25519\n  public: \"{public_key(seed).hex()}\"\n"
        (self.root / HIVE / "trust.yaml").write_text(trust + "  actors: [nightly-job]\n")
        signed = Signer(KeyId("py"), "ed25519", seed).sign(self.sender.write(to="code", topic="signed here"))
        receipt = self.sender.send(signed)
        self.assertIn("signed", self.rsm("verify", receipt.path))
        (claim,) = self.worker.recv("code")
        claim.ack()
        self.rsm("keys", "new", "java-key", actor="java-1")
        self.rsm("keys", "trust", "java-key", "--by", "you", actor="java-1")
        self.rsm("send", "--to", "code", "--sign", "signed there", actor="java-1")
        (claim,) = self.worker.recv("code")
        self.assertEqual(("valid", "java-key"), (claim.check.state, claim.check.kid))

    def test_events_of_both_are_one_log(self) -> None:
        log_rse("pheromone_drop", "Code", "py", {"topic": "from here", "priority": "P1"}, root=self.root)
        self.rsm("drop", "--topic", "from there")
        log_rse("custom_thing", "Elsewhere", "py", {"n": 1}, root=self.root)
        shown = self.rsm("log")
        for part in ("from here", "from there", "custom_thing", "Elsewhere"):
            self.assertIn(part, shown)
        topics = [event.data.get("topic") for event in self.sender.events().events]
        self.assertIn("from there", topics)

    def test_two_languages_compete_and_each_envelope_is_done_once(self) -> None:
        topics = [f"t{i}" for i in range(12)]
        for topic in topics:
            self.sender.send(self.sender.write(to="code", topic=topic))
        script = (
            "import sys\nfrom pheromone import Hive\nhive = Hive(sys.argv[1], 'py')\n"
            "for claim in hive.recv('code'):\n    print(claim.envelope.topic, claim.ack().state, flush=True)\n"
        )
        beside = python(script, str(self.root))
        for _ in range(3):
            taken = self.ran("select", "--quiet", "code").stdout.strip()
            if taken:
                self.rsm("ack", taken, "done")
        finish(beside)
        self.assertEqual(12, len(self.archived("done", "code")))
        done = [e for e in self.sender.events().events if e.type == "worker_ack" and e.data["status"] == "done"]
        self.assertEqual(12, len({event.data["ref"] for event in done}))
        self.assertEqual(12, len(done))


class LocksTest(RsmTest):
    LOOP = """
import sys, time
from pheromone import Hive
hive = Hive(sys.argv[1], "looper")
end = time.monotonic() + 30
for i in range(3000):
    if time.monotonic() > end:
        break
    state = hive.send(hive.write(to="code", topic=f"t{i}", priority="P0")).copies[0].state
    print(state, flush=True)
    if state == "withheld" and hive.send(hive.write(to="code", topic="last")).copies[0].state == "withheld":
        break
"""

    def test_after_rsm_lock_has_returned_nothing_in_the_hive_is_touched(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text(
            "format: 1\nsender: {waiting: 99999, rate: 99999/m, p0: 99999/m}\nbackpressure: {depth: 99999}\n"
        )
        trace = self.root / "home/trace"
        strace = shutil.which("strace")
        follow = [strace, "-f", "-ttt", "-e", "trace=%file", "-o", str(trace)] if strace else []
        loop = python(self.LOOP, str(self.root), under=follow)
        assert loop.stdout is not None
        for _ in range(5):
            self.assertEqual("delivered\n", loop.stdout.readline())
        self.rsm("lock", "hive", "--reason", "hands off", actor="you")
        marker = self.root / "home/returned"
        marker.write_text("")
        returned_at = marker.stat().st_mtime
        states = finish(loop).split()
        self.assertEqual("withheld", states[-1])
        first_withheld = states.index("withheld")
        self.assertEqual({"withheld"}, set(states[first_withheld:]), "nothing is sent once it was withheld")
        self.assertTrue(any((self.root / MIRROR / "inbox/queen-code").glob("*.md")))
        if strace:
            late = [line for line in trace.read_text().splitlines() if self.is_late_access(line, returned_at)]
            self.assertEqual([], late)
        for path in (self.root / HIVE).rglob("*"):
            if path.is_file() and not path.is_symlink():
                self.assertLessEqual(path.stat().st_ctime, returned_at, str(path))

    @staticmethod
    def is_late_access(line: str, returned_at: float) -> bool:
        """Whether a traced call touched the hive after the lock had returned; a look for the lock is allowed."""
        parts = line.split(maxsplit=2)
        if len(parts) < 3 or f"/{HIVE}/" not in parts[2] or "ROTG-2" in parts[2]:
            return False
        return float(parts[1]) > returned_at

    def test_rsm_lock_waits_for_whoever_is_inside(self) -> None:
        script = (
            "import sys\nfrom pathlib import Path\nfrom pheromone.guard import Guard\n"
            "with Guard(Path(sys.argv[1])).enter():\n"
            "    print('inside', flush=True)\n"
            "    sys.stdin.readline()\n"
        )
        inside = python(script, str(self.root))
        assert inside.stdout is not None
        self.assertEqual("inside\n", inside.stdout.readline())
        locking = self.start("lock", "hive", actor="you")
        with self.assertRaises(subprocess.TimeoutExpired):
            locking.wait(2)
        self.assertTrue((self.root / HIVE / HIVE_LOCK).exists(), "it is set, and waits")
        finish(inside)
        finish(locking)

    def test_what_was_kept_here_is_released_there(self) -> None:
        self.sender.send(self.sender.write(to="code", topic="before"))
        claim = self.worker.select("code")
        assert claim is not None
        self.rsm("lock", "hive", "--reason", "wait", actor="you")
        kept = self.sender.send(self.sender.write(to="code", topic="meanwhile"))
        self.assertEqual("withheld", kept.copies[0].state)
        self.assertEqual("withheld", claim.ack("done meanwhile").state)
        log_rse("custom", "Ops", "py", {"said": "meanwhile"}, root=self.root)
        self.assertIn("meanwhile", self.rsm("embargo", actor="you"))
        self.rsm("unlock", "hive", "--by", "you", "--release", actor="you")
        self.rsm("inbox", "code")
        self.assertEqual([kept.id], self.waiting("code"))
        token = self.rsm("select", "--quiet", "code").strip()
        self.assertTrue(token.startswith(kept.id))
        self.assertEqual([claim.envelope.id], self.archived("done", "code"), "the outcome came home")
        self.assertIn("custom", self.rsm("log"))

    def test_a_lock_on_an_inbox_set_there_holds_here(self) -> None:
        self.rsm("lock", "do-not-alter", ".deia/inbox/code/**", "--reason", "as it is", actor="you")
        self.assertEqual("withheld", self.sender.send(self.sender.write(to="code", topic="no")).copies[0].state)
        self.assertTrue(self.sender.send(self.sender.write(to="ops", topic="yes")).is_sent)


if __name__ == "__main__":
    unittest.main()
