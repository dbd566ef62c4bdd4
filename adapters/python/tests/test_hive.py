"""Mail through a hive on disk."""

from __future__ import annotations

import errno
import os
import re
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from pheromone import Envelope, Hive, Instant, NoSuchInbox, Signer, filesystem
from pheromone.claim import Claim
from pheromone.claimtoken import ClaimToken
from pheromone.ed25519 import public_key
from pheromone.files import HiveFiles
from pheromone.guard import HIVE
from pheromone.history import History
from pheromone.rse import parse_json
from pheromone.values import Actor, KeyId
from tests.hives import HiveTest, finish, python

SEED = bytes(range(32))


class SendTest(HiveTest):
    def test_a_sent_envelope_waits_whole_and_is_told(self) -> None:
        envelope = self.sender.write(to="ops", topic="the disk is full", body="93 %\n", lane="Ops")
        receipt = self.sender.send(envelope)
        self.assertEqual("delivered", receipt.copies[0].state)
        self.assertEqual(envelope.raw, (self.root / receipt.path).read_bytes())
        self.assertEqual(0o600, os.stat(self.root / receipt.path).st_mode & 0o777)
        self.assertEqual([], os.listdir(self.root / HIVE / "inbox/ops/.tmp"))
        self.assertEqual(["pheromone_drop", "rsm_envelope_emit"], self.types())

    def test_every_event_of_mail_says_its_consent(self) -> None:
        self.sender.send(self.sender.write(to="ops", topic="the salary", consent="private"))
        claim = self.worker.select("ops", lease_s=60)
        assert claim is not None
        claim.fail("no")
        self.assertEqual({"private"}, {event.data.get("consent") for event in self.sender.events().events})

    def test_the_lane_is_the_first_recipients_unless_one_is_given(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("format: 1\ndomains: {lab: {lanes: [Bugs, Code]}}\n")
        lanes = {"ops": "Ops", "lab": "Bugs", "lane://docs": "Docs", "elsewhere": "Process", "user://ops": "Process"}
        for to, lane in lanes.items():
            self.assertEqual(lane, self.sender.write(to=to, topic="x").lane, to)
        self.assertEqual("Ops", self.sender.write(to=iter(["ops", "code"]), topic="x").lane)
        self.assertEqual("UI", self.sender.write(to="ops", topic="x", lane="ui").lane)

    def test_sending_the_same_envelope_twice_leaves_one(self) -> None:
        envelope = self.sender.write(to="ops", topic="once")
        self.sender.send(envelope)
        again = Envelope.parse(envelope.raw.replace(b"from_origin: flag", b"from_origin: default"))
        self.assertEqual("duplicate", self.sender.send(again).copies[0].state)
        self.assertEqual(1, len(self.waiting()))
        self.assertEqual(1, self.types().count("rsm_envelope_emit"))

    def test_mail_is_sent_again_in_place_of_its_torn_file(self) -> None:
        for percent in (0, 20, 99):
            envelope = self.sender.write(to="ops", topic="torn", body="Do it, and do it well.\n")
            mail = self.root / HIVE / "inbox" / "ops" / f"{envelope.id}.md"
            mail.parent.mkdir(parents=True, exist_ok=True)
            mail.write_bytes(envelope.raw[: len(envelope.raw) * percent // 100])
            self.assertEqual("delivered", self.sender.send(envelope).copies[0].state, percent)
            self.assertEqual(envelope.raw, mail.read_bytes())
            self.assertEqual("duplicate", self.sender.send(envelope).copies[0].state)

    def test_what_somebody_edited_while_it_waited_is_archived_with_the_reason(self) -> None:
        envelope = self.sender.write(to="ops", topic="edited", body="Do it.\n")
        self.sender.send(envelope)
        mail = self.root / HIVE / "inbox" / "ops" / f"{envelope.id}.md"
        edited = envelope.raw.replace(b"Do it.", b"Do it tomorrow.")
        mail.write_bytes(edited)
        self.assertEqual("delivered", self.sender.send(envelope).copies[0].state)
        self.assertEqual(envelope.raw, mail.read_bytes())
        self.assertEqual([], os.listdir(mail.parent / ".tmp"))
        (buried,) = (self.root / HIVE / "archive/ops/dead").glob("*/*.md")
        self.assertEqual(edited, buried.read_bytes())
        (dead,) = [event for event in self.sender.events().events if event.type == "rsm_envelope_dead"]
        self.assertEqual(("Ops", buried.stem), (dead.lane, dead.data["id"]))
        reason = f"an unfinished send: hash: it doesn't match the body; it was {mail.relative_to(self.root)}"
        self.assertEqual(reason, dead.data["reason"])
        (told,) = (self.root / HIVE / f"status/ops/{buried.stem}.jsonl").read_text().splitlines()
        self.assertEqual(("outcome", "dead", reason), tuple(parse_json(told)[key] for key in ("what", "status", "note")))

    def taken(self) -> Claim:
        claim = self.worker.select("ops", lease_s=60)
        assert claim is not None
        return claim

    def forces(self, act: Callable[[], object]) -> list[str]:
        """What ``act`` forces to the disk, one after the other: the name that a file has by then, or a folder's."""
        forced: list[str] = []
        fsync = os.fsync

        def spy(descriptor: int) -> None:
            forced.append(os.path.relpath(os.readlink(f"/proc/self/fd/{descriptor}"), self.root / HIVE))
            fsync(descriptor)

        with mock.patch("os.fsync", spy):
            act()
        # One of 256 folders, which is made when it is needed first.
        return [name for name in forced if name != "seen/ops"]

    @unittest.skipUnless(Path("/proc/self/fd").exists(), "this system does not tell what a descriptor is")
    def test_a_send_and_a_done_force_one_file_each_and_its_names_where_that_takes_more(self) -> None:
        self.sender.send(self.sender.write(to="ops", topic="the first makes folders"))
        self.worker.ack(self.taken())
        for strict in (False, True):
            if strict:
                (self.root / HIVE / "strict").touch()
            with mock.patch("pheromone.filesystem._type_of", return_value="ext4"):
                filesystem._known.clear()
                envelope = self.sender.write(to="ops", topic=f"strict: {strict}")
                draft = re.escape(f"inbox/ops/.tmp/{envelope.id}.")
                sent = self.forces(lambda: self.sender.send(envelope))
                claim = self.taken()
                done = self.forces(lambda: self.worker.ack(claim))
                again = self.forces(lambda: self.assertEqual("duplicate", self.sender.send(envelope).copies[0].state))
            with self.subTest(strict=strict):
                # By the handle that wrote it, whose first name is gone by then.
                self.assertRegex(sent[0], rf"^{draft}.* \(deleted\)$")
                self.assertRegex(done[0], rf"^active/ops/{envelope.id}\..*\.md$")
                self.assertEqual(["inbox/ops"] if strict else [], sent[1:])
                folders = [name.split("/")[0] for name in done[1:]]
                self.assertEqual(["seen", "archive"] if strict else [], [name for name in folders if name != "."])
                # Whoever finished it may not have come so far.
                seen = f"seen/ops/{envelope.id.seen_folder}"
                self.assertEqual([f"{seen}/{envelope.id}.{envelope.hash.hex}"] + ([seen] if strict else []), again)
        filesystem._known.clear()

    def test_on_a_file_system_that_is_not_known_names_are_forced_too(self) -> None:
        for kind, known in (("ext4", True), ("xfs", True), ("btrfs", True), ("zfs", False), ("", False)):
            filesystem._known.clear()
            with mock.patch("pheromone.filesystem._type_of", return_value=kind):
                self.assertEqual(known, filesystem.forces_names_with_file(self.root / HIVE), kind)
        filesystem._known.clear()

    def test_another_content_under_the_same_id_is_a_conflict(self) -> None:
        envelope = self.sender.write(to="ops", topic="one")
        self.sender.send(envelope)
        other = self.sender.write(to="ops", topic="two", id=envelope.id)
        self.assertEqual("conflict", self.sender.send(other).copies[0].state)
        for claim in self.worker.recv("ops"):
            claim.ack()
        changed = self.sender.write(to="ops", topic="one", body="more", id=envelope.id)
        self.assertEqual("duplicate", self.sender.send(envelope).copies[0].state)
        self.assertEqual("conflict", self.sender.send(changed).copies[0].state)

    def test_each_recipient_gets_a_copy_and_nobody_twice(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("format: 1\ndomains: {code: {lanes: [Bugs, Code]}}\n")
        receipt = self.sender.send(self.sender.write(to=["ops", "lane://bugs", "lane://Code"], topic="to many"))
        self.assertEqual(["ops", "code"], [copy.inbox for copy in receipt.copies])
        self.assertEqual(self.waiting("ops"), self.waiting("code"))

    def test_an_inbox_that_does_not_exist_is_an_error_and_no_folder(self) -> None:
        with self.assertRaisesRegex(NoSuchInbox, "opps.*ops"):
            self.sender.send(self.sender.write(to=["ops", "opps"], topic="typo"))
        self.assertEqual([], self.waiting("ops"))
        self.assertFalse((self.root / HIVE / "inbox/opps").exists())

    def test_values_that_a_header_would_read_otherwise_are_refused(self) -> None:
        for bad in ("two\nlines", "", "  ", "a\u202eb", "x" * 257):
            with self.subTest(topic=bad), self.assertRaises(ValueError):
                self.sender.write(to="ops", topic=bad)
        odd = self.sender.write(to="ops", topic="- [odd]: \"#\\ 'é\U0001f40e", tags=["yes", "1", "a, b"])
        self.assertEqual(odd.topic, Envelope.parse(odd.raw).topic)
        self.assertEqual(("yes", "1", "a, b"), odd.tags)

    def test_public_mail_must_be_signed(self) -> None:
        public = self.sender.write(to="ops", topic="for all", consent="public")
        with self.assertRaisesRegex(ValueError, "ed25519"):
            self.sender.send(public)

    def test_public_mail_is_refused_because_nothing_here_looks_through_it(self) -> None:
        public = self.sender.write(to="ops", topic="for all", consent="public")
        with self.assertRaisesRegex(ValueError, "rsm send --consent public --public.*HttpHive"):
            self.sender.send(Signer(KeyId("k1"), "ed25519", SEED).sign(public))
        self.assertEqual([], self.waiting())

    def test_a_configuration_that_is_not_understood_stops_everything(self) -> None:
        bad = ["format: 2\n", "format: 1\nlimit: 3\n", "attempts: none\n", "domains: [a]\n", "lease: {select: 0s}\n"]
        bad += ["domains: {ops: {lane: [Ops]}}\n", "domains: {code: {lanes: [Kitchen]}}\n", "separate: maybe\n"]
        for content in [*bad, "backpressure: {age: 1h}\n"]:
            (self.root / HIVE / "hive.yaml").write_text(content)
            with self.subTest(content), self.assertRaisesRegex(ValueError, "hive.yaml"):
                self.sender.send(self.sender.write(to="ops", topic="x"))
        self.assertEqual([], self.waiting())

    def test_a_lease_that_is_none_takes_nothing(self) -> None:
        self.sender.send(self.sender.write(to="ops", topic="x"))
        for lease_s in (0.5, 30.0, -5, 0, True, 10**20, "60"):
            with self.subTest(lease_s), self.assertRaisesRegex(ValueError, "lease_s"):
                self.worker.select("ops", lease_s=lease_s)  # type: ignore[arg-type]
        self.assertEqual(1, len(self.waiting()))

    def test_a_full_inbox_refuses_what_is_not_urgent(self) -> None:
        config = "format: 1\nbackpressure: {depth: 2}\nsender: {waiting: 5, rate: 100/m}\n"
        (self.root / HIVE / "hive.yaml").write_text(config)
        states = [self.sender.send(self.sender.write(to="ops", topic=str(i))).copies[0] for i in range(4)]
        self.assertEqual(["delivered"] * 3 + ["refused"], [copy.state for copy in states])
        self.assertGreater(states[3].retry_after_s, 0)
        urgent = self.sender.write(to="ops", topic="fire", priority="P0")
        self.assertTrue(self.sender.send(urgent).is_sent)
        self.assertTrue(self.sender.send(urgent).is_sent, "a duplicate is never refused")
        self.sender.send(self.sender.write(to="ops", topic="more fire", priority="P0"))
        sixth = self.sender.send(self.sender.write(to="ops", topic="too much fire", priority="P0")).copies[0]
        self.assertEqual(("refused", 30), (sixth.state, sixth.retry_after_s))

    def test_old_mail_delays_from_the_sixth_send_in_a_minute_and_says_so(self) -> None:
        (self.root / HIVE / "state/ops").mkdir(parents=True)
        (self.root / HIVE / "state/ops/backpressure").write_text('{"since":"2026-01-01T00:00:00Z","cause":"age"}\ntold\n')
        old = self.sender.write(to="ops", topic="old", ts=Instant.now().plus(-5400))
        path = self.root / HIVE / f"inbox/ops/{old.id}.md"
        path.write_bytes(old.raw)
        history = self.root / HIVE / f"status/ops/{old.id}.jsonl"
        history.parent.mkdir(parents=True)
        history.write_text(f'{{"ts":"{old.ts}","what":"first_seen"}}\n')
        early = [self.sender.send(self.sender.write(to="ops", topic=str(i))) for i in range(5)]
        self.assertEqual([(0.0, "")] * 5, [(one.waited_s, one.waited_for) for one in early])
        late = self.sender.send(self.sender.write(to="ops", topic="sixth"))
        self.assertEqual((1.0, "the oldest mail there is 1h old"), (late.waited_s, late.waited_for))
        other = Hive(self.root, "somebody-else")
        self.assertEqual(0.0, other.send(other.write(to="ops", topic="first of another")).waited_s)

    def test_a_ledger_is_cleared_of_what_does_not_count_any_more(self) -> None:
        ledger = self.root / HIVE / "state/ops/senders/nightly-job"
        ledger.parent.mkdir(parents=True)
        waiting = self.sender.write(to="ops", topic="still there")
        (self.root / HIVE / f"inbox/ops/{waiting.id}.md").write_bytes(waiting.raw)
        gone = [self.sender.write(to="ops", topic=str(i)).id for i in range(2_000)]
        ledger.write_text("".join(f"1700000000000 {id} P2 0\n" for id in (waiting.id, *gone)))
        sent = self.sender.send(self.sender.write(to="ops", topic="new"))
        self.assertEqual([waiting.id, sent.id], [line.split(" ")[1] for line in ledger.read_text().splitlines()])

    def test_a_long_ledger_is_read_from_its_end_and_left_as_it_is(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("sender: {waiting: 100000}\n")
        ledger = self.root / HIVE / "state/ops/senders/nightly-job"
        ledger.parent.mkdir(parents=True)
        ids = [self.sender.write(to="ops", topic=str(i)).id for i in range(2_000)]
        now = Instant.now().millis
        old = "".join(f"1700000000000 {id} P2 0\n" for id in ids[59:])
        ledger.write_text(f"cleared {len(old)}\n{old}" + "".join(f"{now} {id} P2 0\n" for id in ids[:59]))
        states = [self.sender.send(self.sender.write(to="ops", topic=str(i))).copies[0].state for i in range(2)]
        self.assertEqual(["delivered", "refused"], states)
        self.assertEqual(1 + 2_000 + 1, len(ledger.read_text().splitlines()))

    def test_a_crowded_inbox_is_counted_once_a_second_for_all(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("backpressure: {depth: 100}\n")
        for i in range(300):
            envelope = self.sender.write(to="ops", topic=str(i))
            (self.root / HIVE / f"inbox/ops/{envelope.id}.md").write_bytes(envelope.raw)
        self.assertEqual("refused", self.sender.send(self.sender.write(to="ops", topic="full")).copies[0].state)
        counts = self.root / HIVE / "state/ops/depth"
        self.assertEqual("300", counts.read_text().splitlines()[-1].split(" ")[1])
        counts.write_text(f"{Instant.now().millis + 500} 0 -\n")
        self.assertEqual("refused", self.sender.send(self.sender.write(to="ops", topic="ahead")).copies[0].state)
        counts.write_text(f"{Instant.now().millis} 7 -\n")
        self.assertEqual("delivered", self.sender.send(self.sender.write(to="ops", topic="counted")).copies[0].state)

    def test_a_runaway_sender_is_told_at_once_and_then_once_a_minute(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("sender: {rate: 1/m}\n")
        states = [self.sender.send(self.sender.write(to="ops", topic=str(i))).copies[0].state for i in range(5)]
        self.assertEqual(["delivered"] + ["refused"] * 4, states)
        note = self.root / HIVE / "state/ops/refused/nightly-job"
        told_at, reason = note.read_text().partition("\n")[0].split(" ", 1)
        self.assertEqual("...", note.read_text().partition("\n")[2])
        note.write_text(f"{int(told_at) - 61_000} {reason}\n...")
        self.sender.send(self.sender.write(to="ops", topic="a minute later"))
        told = [event.data for event in self.sender.events().events if event.type == "sender_refused"]
        self.assertEqual([1, 4], [data["count"] for data in told])
        self.assertEqual({("nightly-job", "ops")}, {(data["sender"], data["inbox"]) for data in told})
        note.write_text("nonsense")
        self.assertEqual("refused", self.sender.send(self.sender.write(to="ops", topic="x")).copies[0].state)

    def test_the_ttl_is_the_hives_unless_one_is_given(self) -> None:
        self.assertEqual("1d", self.sender.write(to="ops", topic="x").ttl)
        self.assertEqual("7d", self.sender.write(to="user://you", topic="x").ttl)
        (self.root / HIVE / "hive.yaml").write_text("ttl: {default: 3h, user: 9d}\n")
        self.assertEqual("3h", self.sender.write(to=["user://you", "ops"], topic="x").ttl)
        self.assertEqual("9d", self.sender.write(to="user://you", topic="x").ttl)
        self.assertEqual("5m", self.sender.write(to="ops", topic="x", ttl="5m").ttl)
        for bad in ("ttl: {default: 31d}\n", "ttl: {usual: 1d}\n"):
            (self.root / HIVE / "hive.yaml").write_text(bad)
            with self.subTest(bad), self.assertRaisesRegex(ValueError, "hive.yaml"):
                self.sender.write(to="ops", topic="x")

    def test_mail_of_a_muted_sender_is_parked(self) -> None:
        (self.root / HIVE / "mute").mkdir()
        mute = self.root / HIVE / "mute/nightly-job.yaml"
        mute.write_text("actor: nightly-job\nuntil: 2999-01-01T00:00:00Z\n")
        envelope = self.sender.write(to="ops", topic="noise")
        for _ in range(2):
            copy = self.sender.send(envelope).copies[0]
            self.assertEqual("parked", copy.state)
            self.assertIn("muted until 2999", copy.reason)
        self.assertEqual(f"{HIVE}/outbox/muted/nightly-job/ops/{envelope.id}.md", copy.location)
        self.assertEqual(envelope.raw, (self.root / copy.location).read_bytes())
        told = [event.data for event in self.sender.events().events if event.type == "rsm_envelope_park"]
        self.assertEqual([(envelope.id, "nightly-job", "ops")], [(d["id"], d["from"], d["inbox"]) for d in told])
        self.assertIsNone(self.worker.select("ops"))
        mute.write_text("actor: nightly-job\nuntil: 2000-01-01T00:00:00Z\n")
        self.assertTrue(self.sender.send(self.sender.write(to="ops", topic="heard")).is_sent)


class ReceiveTest(HiveTest):
    def send(self, topic: str, **more: Any) -> Envelope:
        envelope = self.sender.write(to="ops", topic=topic, **more)
        self.assertTrue(self.sender.send(envelope).is_sent)
        return envelope

    def test_the_most_urgent_comes_first_and_is_done_once(self) -> None:
        for topic, priority in (("later", "P3"), ("soon", "P1"), ("now", "P0")):
            self.send(topic, priority=priority)
        topics = []
        for claim in self.worker.recv("queen://ops"):
            topics.append(claim.envelope.topic)
            self.assertEqual("done", claim.ack("well").state)
            self.assertEqual("done", claim.ack("well").state, "said twice")
            self.assertEqual("lost", claim.release().state)
        self.assertEqual(["now", "soon", "later"], topics)
        self.assertEqual(3, len(self.archived("done")))
        self.assertEqual([], os.listdir(self.root / HIVE / "active/ops/.running"))
        self.assertEqual(3, self.types().count("worker_ack"))

    def test_work_that_can_not_be_counted_is_not_begun_and_done_is_done_all_the_same(self) -> None:
        self.sender.send(self.sender.write(to="ops", topic="count me"))
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch.object(History, "claimed", side_effect=full), self.assertRaises(OSError):
            next(iter(self.worker.recv("ops")))
        self.assertEqual(1, len(self.waiting()))
        with mock.patch.object(History, "outcome", side_effect=full):
            for claim in self.worker.recv("ops"):
                self.assertEqual(1, claim.attempt)
                claim.ack()
        self.assertEqual([], self.waiting())
        self.assertEqual(1, self.types().count("worker_ack"))

    def test_an_answer_has_the_same_id_however_often_it_is_made(self) -> None:
        self.send("question", priority="P1")
        claim = self.worker.select("ops")
        assert claim is not None
        answer = claim.reply("42\n")
        self.assertEqual("delivered", self.worker.send(answer).copies[0].state)
        self.assertEqual("duplicate", self.worker.send(claim.reply("42\n")).copies[0].state)
        self.assertEqual((claim.envelope.id, 1, "P1"), (answer.correlation_id, answer.hops, answer.priority.value))
        (received,) = self.sender.recv(self.sender.address)
        self.assertEqual("Re: question", received.envelope.topic)

    def test_an_answer_goes_no_further_than_its_request_and_takes_no_private_topic_along(self) -> None:
        self.send("salary", consent="private")
        claim = self.worker.select("ops")
        assert claim is not None
        answer = claim.reply("42\n")
        self.assertEqual(("private", "Re: salary"), (answer.consent.value, answer.topic))
        wider = claim.reply("42\n", consent="team")
        self.assertEqual(("team", "Re: your mail"), (wider.consent.value, wider.topic))
        named = claim.reply("42\n", consent="team", topic="the figure")
        self.assertEqual(("team", "the figure"), (named.consent.value, named.topic))

    def test_what_is_released_is_back_and_what_failed_pauses(self) -> None:
        envelope = self.send("try")
        claim = self.worker.select("ops")
        assert claim is not None
        self.assertEqual("waiting", claim.release("not mine").state)
        again = self.worker.select("ops")
        assert again is not None
        self.assertEqual(1, again.attempt, "a release does not count")
        self.assertEqual("waiting", self.worker.fail(again.token, "no network").state)
        self.assertIsNone(self.worker.select("ops"), "it pauses")
        self.assertEqual([envelope.id], self.waiting())
        self.assertIn("rsm_envelope_return", self.types())

    def test_how_work_ended_may_be_said_again_and_counts_once(self) -> None:
        self.send("flaky")
        claim = self.worker.select("ops")
        assert claim is not None
        self.assertEqual(["waiting"] * 2, [claim.fail("no network").state, claim.fail("again").state])
        self.assertEqual("waiting", self.worker.fail(claim.token, "by its token").state)
        self.assertEqual("lost", claim.ack().state, "another outcome than the first")
        self.assertEqual("lost", claim.release().state)
        self.assertEqual(1, self.types().count("rsm_envelope_return"))
        self.send("given back")
        other = self.worker.select("ops")
        assert other is not None
        self.assertEqual(["waiting"] * 2, [other.release().state, other.release().state])
        self.assertEqual("lost", other.fail("too late").state)

    def test_the_last_failure_may_be_said_again_but_a_lost_lease_is_lost(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("format: 1\nattempts: 1\n")
        self.send("poison")
        claim = self.worker.select("ops")
        assert claim is not None
        self.assertEqual(["dead"] * 2, [claim.fail("it bit me").state, claim.fail("it bit me").state])
        (self.root / HIVE / "hive.yaml").write_text("format: 1\n")
        overdue = self.overdue()
        self.assertIsNone(self.sender.select("ops"), "back, and pausing after the failure")
        self.assertEqual("lost", self.worker.fail(overdue.stem, "too late").state)

    def test_a_token_alone_is_enough_whatever_else_lies_in_the_hive(self) -> None:
        self.send("by its token")
        claim = self.worker.select("ops")
        assert claim is not None
        for folder in ("active", "seen"):
            (self.root / HIVE / folder / "My Stuff").mkdir(parents=True)
            (self.root / HIVE / folder / ".DS_Store").write_text("")
        self.assertEqual(["done", "done"], [self.worker.ack(claim.token).state for _ in range(2)])

    def test_the_last_failed_attempt_is_dead(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("format: 1\nattempts: 1\n")
        self.send("poison")
        claim = self.worker.select("ops")
        assert claim is not None
        self.assertEqual("dead", claim.fail("it bit me").state)
        self.assertEqual(1, len(self.archived("dead")))
        self.assertIn("rsm_envelope_dead", self.types())

    def test_a_lost_lease_returns_and_its_holder_can_not_finish(self) -> None:
        self.send("slow")
        claim = self.worker.select("ops", lease_s=1)
        assert claim is not None
        for folder in (HIVE, f"{HIVE}/active/ops/{claim.token}.md"):
            os.utime(self.root / folder, (1, 1))
        old = re.sub(r"\.\d{13}\.", ".1000.", claim.token) + ".md"
        os.rename(self.root / claim.path, (self.root / claim.path).with_name(old))
        self.assertIsNone(Hive(self.root, "other").select("ops"), "back, and pausing after the failure")
        self.assertEqual(1, len(self.waiting()))
        self.assertEqual("lost", claim.ack().state)

    def test_a_lease_of_a_clock_that_was_ahead_counts_from_when_the_file_changed(self) -> None:
        now = Instant.now()
        id = self.send("early").id
        claim = ClaimToken(id, 1, Actor("ahead"), now.plus(5 * 3_600), 60, "c000000")
        changed, sent = Instant(now.nanos - 90 * 10**9), Instant(now.nanos - 100 * 10**9)
        self.assertEqual(changed.plus(60), claim.lease_ends_at(changed, sent, now))
        renewed = Instant(now.nanos - 30 * 10**9)
        self.assertEqual(renewed.plus(60), claim.lease_ends_at(renewed, renewed, now))
        self.assertEqual(claim.claimed_at.plus(60), claim.lease_ends_at(now.plus(1), sent, now), "all are ahead")

    def overdue(self) -> Path:
        """The file of a claim whose lease was over long ago."""
        self.send("slow")
        claim = self.worker.select("ops", lease_s=60)
        assert claim is not None
        file = self.root / claim.path
        old = file.with_name(re.sub(r"\.\d{13}\.", ".1000.", file.name))
        os.rename(file, old)
        for path in (self.root / HIVE, old):
            os.utime(path, (1, 1))
        return old

    def test_a_kept_outcome_holds_its_own_claim_and_no_other(self) -> None:
        held = self.overdue()
        kept = self.root / ".embargo/outcome/ops" / held.name.removesuffix(".md")
        kept.parent.mkdir(parents=True)
        kept.write_text("{}")
        other = self.overdue()
        self.assertIsNone(self.worker.select("ops"))
        self.assertEqual((True, False), (held.exists(), other.exists()))
        kept.unlink()
        self.assertIsNone(self.worker.select("ops"), "the folder that stays holds nothing")
        self.assertFalse(held.exists())

    def test_a_lease_that_is_renewed_while_others_look_for_lost_ones_holds(self) -> None:
        held = self.overdue()
        stat = HiveFiles.stat

        def renewed(files: HiveFiles, path: Path) -> os.stat_result | None:
            if path == held:
                os.utime(path, ns=(time.time_ns(), time.time_ns()))
            return stat(files, path)

        with mock.patch.object(HiveFiles, "stat", renewed):
            self.assertIsNone(self.worker.select("ops"))
        self.assertTrue(held.exists())

    def test_expired_and_misaddressed_mail_is_archived_and_never_delivered(self) -> None:
        old = self.send("old", ts=Instant.now().plus(-7200), ttl="1h")
        elsewhere = self.sender.write(to="code", topic="astray")
        (self.root / HIVE / f"inbox/ops/{elsewhere.id}.md").write_bytes(elsewhere.raw)
        self.assertEqual([], list(self.worker.recv("ops")))
        self.assertEqual([old.id], self.archived("expired"))
        self.assertEqual([elsewhere.id], self.archived("dead"))

    def test_what_is_no_mail_stops_nobody(self) -> None:
        inbox = self.root / HIVE / "inbox/ops"
        os.mkfifo(inbox / "pipe.md")
        os.symlink("/etc/hostname", inbox / "link.md")
        (inbox / "folder.md").mkdir()
        (inbox / "half.md").write_text("---\nid: x")
        (inbox / "big.md").write_bytes(b"x" * 100_000)
        self.send("real")
        self.assertEqual(["real"], [claim.envelope.topic for claim in self.worker.recv("ops")])

    def test_of_signed_mail_only_the_true_one_is_delivered(self) -> None:
        trust = f"format: 1\nkeys:\n  - kid: k1\n    algorithm: ed25519\n    public: {public_key(SEED).hex()}\n"
        (self.root / HIVE / "trust.yaml").write_text(trust + "    actors: [nightly-job]\n")
        signer = Signer(KeyId("k1"), "ed25519", SEED)
        signed = signer.sign(self.sender.write(to="ops", topic="true"))
        forged = Envelope.parse(signer.sign(self.sender.write(to="ops", topic="true")).raw.replace(b"true", b"lies"))
        for envelope in (signed, forged, self.sender.write(to="ops", topic="stripped")):
            self.sender.send(envelope)
        found = [(claim.envelope.topic, claim.check.state) for claim in self.worker.recv("ops")]
        self.assertEqual([("true", "valid")], found)
        self.assertEqual(2, len(self.archived("dead")))

    def test_passkeys_of_people_keep_nobody_from_mail(self) -> None:
        passkey = "passkeys: [{kid: ada-pk-1, credential: 0a, public: 0b, actor: nightly-job, synced: true}]\n"
        (self.root / HIVE / "trust.yaml").write_text("format: 2\nkeys: []\n" + passkey)
        self.send("unsigned")
        self.assertEqual(["unsigned"], [claim.check.state for claim in self.worker.recv("ops")])

    def test_mail_under_a_secret_that_we_lack_is_left_to_others(self) -> None:
        trust = "format: 1\nkeys: [{kid: shared, algorithm: hmac, actors: [nightly-job]}]\n"
        (self.root / HIVE / "trust.yaml").write_text(trust)
        self.sender.send(Signer(KeyId("shared"), "hmac", SEED).sign(self.sender.write(to="ops", topic="sealed")))
        self.assertEqual([], list(self.worker.recv("ops")))
        self.assertEqual(1, len(self.waiting()))
        knowing = Hive(self.root, "claude-7f3a", secrets={"shared": SEED})
        self.assertEqual(["valid"], [claim.check.state for claim in knowing.recv("ops")])


class ProcessesTest(HiveTest):
    CLAIM = """
import sys
from pheromone import Hive
hive = Hive(sys.argv[1], sys.argv[2])
sys.stdin.readline()
for claim in hive.recv("ops"):
    print(claim.envelope.topic, claim.ack().state)
"""

    def test_of_two_processes_one_wins_each_claim(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text("format: 1\nsender: {rate: 1000/m}\n")
        for i in range(30):
            self.sender.send(self.sender.write(to="ops", topic=f"t{i}"))
        workers = [python(self.CLAIM, str(self.root), f"worker-{i}") for i in range(3)]
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        lines = "".join(finish(worker) for worker in workers).split("\n")
        self.assertEqual(sorted(f"t{i} done" for i in range(30)), sorted(filter(None, lines)))
        self.assertEqual(30, len(self.archived("done")))

    SEND = """
import sys
from pheromone import Hive
hive = Hive(sys.argv[1], "sender")
for i in range(2000):
    receipt = hive.send(hive.write(to="ops", topic="t", body="x" * 5000))
    print(receipt.id, receipt.copies[0].state, flush=True)
"""

    def test_a_sender_that_is_killed_publishes_nothing_by_halves(self) -> None:
        (self.root / HIVE / "hive.yaml").write_text(
            "format: 1\nsender: {waiting: 9999, rate: 9999/m}\nbackpressure: {depth: 9999}\n"
        )
        said: list[str] = []
        for kills in range(3):
            sender = python(self.SEND, str(self.root))
            assert sender.stdout is not None
            said += [sender.stdout.readline() for _ in range(20 + kills)]
            sender.kill()
            rest, _ = sender.communicate()
            said += [line + "\n" for line in rest.split("\n") if line.endswith(" delivered")]
        sent = [line.split()[0] for line in said if line.endswith(" delivered\n")]
        self.assertGreaterEqual(len(sent), 60)
        waiting = self.waiting()
        self.assertLessEqual(set(sent), set(waiting), "what was said to be sent is there")
        for name in waiting:
            envelope = Envelope.parse((self.root / HIVE / f"inbox/ops/{name}.md").read_bytes())
            self.assertTrue(envelope.hash_matches)
        reading = self.sender.events()
        self.assertEqual([], reading.bad)


if __name__ == "__main__":
    unittest.main()
