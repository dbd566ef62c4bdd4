"""Locks are honoured: what can't be judged is blocked, and nothing happens after a lock is set."""

from __future__ import annotations

import fcntl
import json
import os
import unittest
from pathlib import Path

from pheromone import Withheld
from pheromone.guard import HIVE, MIRROR, Access, Guard
from pheromone.lockpattern import LockPattern
from pheromone.values import ContentHash
from tests.hives import HiveTest, finish, python


class PatternTest(unittest.TestCase):
    def test_patterns_cover_what_they_say_and_all_below(self) -> None:
        cases: dict[str, tuple[list[str], list[str]]] = {
            "secret": (["secret", "secret/a/b"], ["secrets", "a/secret"]),
            "**/secret": (["secret", "a/b/secret/c"], ["a/secrets"]),
            "docs/*.md": (["docs/a.md"], ["docs/a/b.md", "docs/a.txt"]),
            "docs/**/*.md": (["docs/a.md", "docs/x/y/a.md"], ["docs/a.txt"]),
            "{a,b{1,2}}/?[!x]": (["a/cd", "b1/cd", "b2/zz/deep"], ["b/cd", "a/cx"]),
            "a**z": (["abz", "ab/c/dz"], ["ab"]),
            "a\\*b": (["a*b"], ["axb"]),
            "./x//y/../z": (["x/z"], ["x/y/z"]),
            ".": (["anything/at/all"], []),
        }
        for text, (covered, free) in cases.items():
            pattern = LockPattern(text)
            for path in covered:
                self.assertTrue(pattern.covers(path.split("/")), f"{text} covers {path}")
            for path in free:
                self.assertFalse(pattern.covers(path.split("/")), f"{text} does not cover {path}")

    def test_what_can_not_be_read_is_refused(self) -> None:
        mistaken = ("!a", "/a", "~/a", "{a,/b}/**", "C:/a")
        for text in ("", " ", "[a", "a{b", "../x", "a\\", "x" * 2000, "{a,b}" * 9, *mistaken):
            with self.subTest(pattern=text), self.assertRaises(ValueError):
                LockPattern(text)

    def test_matching_takes_no_time_whatever_the_pattern(self) -> None:
        self.assertFalse(LockPattern("*a" * 100 + "b").covers(["a" * 1000]))
        self.assertFalse(LockPattern("**/a/" * 100 + "b").covers(["a"] * 300))


class ListsTest(HiveTest):
    def verdict(self, path: str, access: Access = Access.READ, content: bytes | None = None) -> str | None:
        with Guard(self.root).enter() as locks:
            blocked = locks.check(self.root / path, access, content)
        return blocked.kind if blocked else None

    def test_each_kind_forbids_what_it_says(self) -> None:
        for folder, kind, forbidden in (
            ("do-not-read", "dnr", (True, True, True)),
            ("do-not-alter", "do-not-alter", (False, True, True)),
            ("do-not-erase", "do-not-erase", (False, False, True)),
        ):
            self.lock(folder, "- path_pattern: .deia/inbox/code\n  reason: 'quiet: please' # why\n")
            found = tuple(self.verdict(".deia/inbox/code/x.md", access) == kind for access in Access)
            self.assertEqual(forbidden, found, folder)
            self.assertIsNone(self.verdict(".deia/inbox/ops/x.md", Access.ERASE))
            (self.root / HIVE / folder / "list.yaml").unlink()

    def test_lists_that_are_not_understood_lock_everything(self) -> None:
        bad = (
            "- path_pattern: [a]",
            "- {reason: none}",
            "path_pattern: &a x",
            "- path_pattern: |\n    x",
            "- path_pattern: a\n  path_pattern: b",
            "- path_pattern: a\n   hash: x",
            "- hash: sha256:12",
            "- path_pattern: a\n  expires: tomorrow",
            "\tx",
            "--- a\n--- b",
            "a: b: c",
            "- 'open",
            "- /etc/**",
            "- path_pattern: a\n  reason:",
        )
        for content in bad:
            self.lock("do-not-erase", content)
            self.assertEqual("dnr", self.verdict("anything"), content)
        (self.root / HIVE / "do-not-erase/list.yaml").write_bytes(b"- \xff")
        self.assertEqual("dnr", self.verdict("anything"))
        (self.root / HIVE / "do-not-erase/list.yaml").unlink()
        os.symlink("/nowhere", self.root / HIVE / "do-not-erase/list.yaml")
        self.assertEqual("dnr", self.verdict("anything"))

    def test_lists_may_be_texts_one_map_or_nothing(self) -> None:
        cases = (("- a\n- 'b c'\n", True), ("path_pattern: a\n", True), ("# nothing\n", False), ("", False))
        for content, locked in cases:
            self.lock("do-not-alter", content)
            self.assertEqual("do-not-alter" if locked else None, self.verdict("a/x", Access.WRITE), content)

    def test_entries_end(self) -> None:
        self.lock("do-not-read", "- {path_pattern: a, expires: 2020-01-01}\n- {path_pattern: b, expires: 2999-01-01}\n")
        self.assertIsNone(self.verdict("a"))
        self.assertEqual("dnr", self.verdict("b"))

    def test_a_hash_lock_holds_wherever_the_content_lies(self) -> None:
        (self.root / "copy").write_bytes(b"secret")
        self.lock("do-not-alter", f"- hash: {ContentHash.of(b'secret')}\n")
        self.assertEqual("do-not-alter", self.verdict("copy", Access.WRITE))
        self.assertEqual("do-not-alter", self.verdict("new", Access.WRITE, b"secret"))
        self.assertIsNone(self.verdict("new", Access.WRITE, b"other"))

    def test_links_and_folders_are_seen_through(self) -> None:
        self.lock("do-not-alter", "- path_pattern: vault/**\n")
        (self.root / "vault").mkdir()
        (self.root / "vault/key").write_text("x")
        os.symlink("vault", self.root / "door")
        self.assertEqual("do-not-alter", self.verdict("door/key", Access.WRITE))
        self.assertEqual("do-not-alter", self.verdict("a/../vault/key", Access.WRITE))
        self.assertEqual("do-not-alter", self.verdict(".", Access.ERASE), "and so is all in it")

    def test_an_outside_guard_closes_the_hive_to_us(self) -> None:
        (self.root / HIVE / "tools").mkdir()
        (self.root / HIVE / "tools/policy_guard.sh").write_text("exit 0\n")
        self.assertEqual("do-not-alter", self.verdict(".deia/inbox/ops/x.md"))

    def test_a_folder_of_locks_that_is_none_locks_everything(self) -> None:
        (self.root / HIVE / "do-not-read").write_text("")
        self.assertEqual("dnr", self.verdict("anything"))


class HiveLockTest(HiveTest):
    def test_mail_waits_in_the_mirror_and_nothing_else_is_touched(self) -> None:
        before = sorted(str(path) for path in (self.root / HIVE).rglob("*"))
        os.symlink("/nowhere", self.root / HIVE / "ROTG-2-RESPECT-DO-NOT-ERASE.lock")
        receipt = self.sender.send(self.sender.write(to=["user://you", "ops"], topic="later"))
        self.assertEqual(["withheld"] * 2, [copy.state for copy in receipt.copies])
        self.assertIn("do not resend", receipt.copies[0].reason)
        self.assertEqual(f"{MIRROR}/inbox/user-you/{receipt.id}.md", receipt.path)
        self.assertTrue((self.root / receipt.path).is_file())
        again = self.sender.send(self.sender.write(to="ops", topic="later still"))
        self.assertTrue((self.root / again.path).is_file())
        self.unlock_hive()
        self.assertEqual(before, sorted(str(path) for path in (self.root / HIVE).rglob("*")))
        log = (self.root / MIRROR / "telemetry/rse.jsonl").read_text().splitlines()
        (told,) = (json.loads(line) for line in log)
        found = (told["type"], told["data"]["mode"], told["data"]["source"])
        self.assertEqual(("policy_guard", "advisory", "rotg-2"), found)

    def test_readers_are_told_and_outcomes_are_kept(self) -> None:
        self.sender.send(self.sender.write(to="ops", topic="work"))
        claim = self.worker.select("ops")
        assert claim is not None
        self.lock_hive()
        with self.assertRaises(Withheld):
            self.worker.select("ops")
        settlement = claim.ack("done in time")
        self.assertEqual("withheld", settlement.state)
        kept = json.loads((self.root / settlement.location).read_text())
        self.assertEqual(("done", "done in time"), (kept["status"], kept["note"]))
        self.assertEqual("withheld", claim.renew().state)

    def test_a_secret_inbox_has_no_mirror(self) -> None:
        self.lock("do-not-read", "- .deia/inbox/ops\n")
        receipt = self.sender.send(self.sender.write(to="ops", topic="secret"))
        self.assertEqual(("withheld", ""), (receipt.copies[0].state, receipt.path))
        self.assertFalse(any((self.root / MIRROR).rglob("*.md")))

    def test_an_inbox_under_do_not_erase_lets_mail_in_but_not_out(self) -> None:
        self.lock("do-not-erase", "- .deia/inbox/ops/*.md\n")
        self.assertTrue(self.sender.send(self.sender.write(to="ops", topic="in")).is_sent)
        with self.assertRaises(Withheld):
            self.worker.select("ops")
        self.assertEqual(1, len(self.waiting()))


class GateTest(HiveTest):
    def test_whoever_has_the_gate_alone_keeps_us_out(self) -> None:
        self.sender.send(self.sender.write(to="ops", topic="makes the gate"))
        holder = python(
            "import fcntl, sys\n"
            "gate = open(sys.argv[1], 'r+')\n"
            "fcntl.lockf(gate, fcntl.LOCK_EX)\n"
            "print('held', flush=True)\n"
            "sys.stdin.readline()\n",
            str(self.root / MIRROR / "gate"),
        )
        assert holder.stdout is not None and holder.stdin is not None
        self.assertEqual("held\n", holder.stdout.readline())
        sender = python(
            "import sys\nfrom pheromone import Hive\nhive = Hive(sys.argv[1], 'a')\nprint('ready', flush=True)\n"
            "print(hive.send(hive.write(to='ops', topic='t')).copies[0].state)\n",
            str(self.root),
        )
        assert sender.stdout is not None
        self.assertEqual("ready\n", sender.stdout.readline())
        self.lock_hive()
        finish(holder)
        self.assertEqual("withheld\n", finish(sender), "the lock came while it waited")
        self.unlock_hive()
        self.assertEqual(1, len(self.waiting()))

    def test_the_gate_is_a_posix_lock_that_is_shared_while_inside(self) -> None:
        probe = (
            "import fcntl, sys\n"
            "try:\n"
            "    fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
            "    print('free')\n"
            "except BlockingIOError:\n"
            "    print('taken')\n"
        )
        gate = self.root / MIRROR / "gate"
        with Guard(self.root).enter():
            self.assertEqual("taken\n", finish(python(probe, str(gate))))
            with Guard(self.root).enter():
                pass
            self.assertEqual("taken\n", finish(python(probe, str(gate))), "one of ours left, one is inside")
        self.assertEqual("free\n", finish(python(probe, str(gate))))

    def test_a_gate_that_was_replaced_is_opened_anew(self) -> None:
        with Guard(self.root).enter():
            pass
        (self.root / MIRROR / "gate").unlink()
        with Guard(self.root).enter():
            self.assertTrue((self.root / MIRROR / "gate").exists())
        self.assertEqual("*\n", (self.root / MIRROR / ".gitignore").read_text())

    def test_a_forked_child_takes_the_gate_for_itself(self) -> None:
        script = (
            "import fcntl, os, sys\nfrom pathlib import Path\nfrom pheromone.guard import Guard\n"
            "guard = Guard(Path(sys.argv[1]))\n"
            "with guard.enter():\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        with guard.enter():\n"
            "            print('child is in', flush=True)\n"
            "        os._exit(0)\n"
            "    os.waitpid(child, 0)\n"
        )
        self.assertEqual("child is in\n", finish(python(script, str(self.root))))


if __name__ == "__main__":
    unittest.main()
