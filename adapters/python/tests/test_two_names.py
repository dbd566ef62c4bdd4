"""Copies with two names, as a power cut may leave them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from pheromone.guard import HIVE
from tests.hives import HiveTest


class TwoNamesTest(HiveTest):
    """After a power cut a file that was renamed may have both names: it is one copy, and its later state counts."""

    def setUp(self) -> None:
        super().setUp()
        self.sender.send(self.sender.write(to="ops", topic="once"))
        claim = self.worker.select("ops", lease_s=60)
        assert claim is not None
        self.claim = claim
        self.active = self.root / claim.path
        self.mail = self.root / HIVE / "inbox/ops" / f"{claim.envelope.id}.md"

    def archive(self) -> Path:
        return next((self.root / HIVE / "archive/ops/done").glob("*/*.md"))

    def check_done_once(self) -> None:
        self.assertIsNone(self.worker.select("ops"))
        self.assertEqual([self.claim.envelope.id], self.archived("done"))
        for state in ("dead", "duplicate", "conflict", "expired"):
            self.assertEqual([], self.archived(state))
        self.assertEqual(1, self.types().count("worker_ack"))

    def test_claimed_mail_that_is_back_in_the_inbox_is_claimed(self) -> None:
        os.link(self.active, self.mail)
        self.assertIsNone(self.worker.select("ops"))
        self.assertEqual("done", self.claim.ack().state)
        self.check_done_once()

    def test_claimed_mail_that_is_back_in_the_inbox_comes_back_with_its_lease(self) -> None:
        os.link(self.active, self.mail)
        over = time.time() - 3600
        token = self.claim.token.split(".")
        token[3] = str(int(over * 1000))
        self.active.rename(self.active.with_name(".".join(token) + ".md"))
        os.utime(self.mail, (over, over))
        for name in ("", "do-not-read", "do-not-alter", "do-not-erase"):
            if (self.root / HIVE / name).exists():
                os.utime(self.root / HIVE / name, (over, over))
        self.assertIsNone(self.worker.select("ops"))
        self.assertEqual([self.claim.envelope.id], self.waiting())
        self.assertEqual([], list((self.root / HIVE / "active/ops").glob("*.md")))
        self.assertIn("rsm_envelope_return", self.types())

    def test_done_mail_that_is_back_among_the_claims_is_done(self) -> None:
        self.assertEqual("done", self.claim.ack().state)
        os.link(self.archive(), self.active)
        self.assertEqual("done", self.claim.ack().state)
        self.check_done_once()

    def test_done_mail_that_is_back_in_the_inbox_is_done(self) -> None:
        self.assertEqual("done", self.claim.ack().state)
        os.link(self.archive(), self.mail)
        self.check_done_once()

    def test_mail_that_came_back_waits_though_its_claim_is_back_too(self) -> None:
        self.assertEqual("waiting", self.claim.release().state)
        os.link(self.mail, self.active)
        again = self.worker.select("ops")
        assert again is not None
        self.assertEqual("lost", self.claim.ack().state)
        self.assertEqual("done", again.ack().state)
        self.check_done_once()

    def test_a_name_outside_the_hive_is_still_foreign(self) -> None:
        self.claim.release()
        os.link(self.mail, self.root / "elsewhere.md")
        self.assertIsNone(self.worker.select("ops"))
