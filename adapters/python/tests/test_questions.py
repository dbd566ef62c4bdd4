"""Questions through a hive on disk, and together with rsm."""

from __future__ import annotations

import json

from pheromone import Envelope, Hive, Instant
from pheromone.ed25519 import public_key
from pheromone.guard import HIVE
from pheromone.trust import Signer
from pheromone.values import KeyId
from tests.hives import HiveTest
from tests.test_with_rsm import RsmTest

SEED = bytes(range(32))


class QuestionTest(HiveTest):
    def setUp(self) -> None:
        super().setUp()
        self.you = Hive(self.root, "you")

    def asked(self, **more: object) -> Envelope:
        question = self.worker.ask("user://you", "may I merge?", choices=["yes", "no"], **more)  # type: ignore[arg-type]
        self.worker.send(question)
        return question

    def state(self, question: Envelope) -> tuple[str, str | None, str | None]:
        found = self.worker.question(question.id)
        assert found is not None
        return found.state, found.answer, found.proof

    def test_an_answer_ends_a_question(self) -> None:
        question = self.asked()
        self.assertEqual(("open", None, None), self.state(question))
        self.you.send(self.you.answer(question, "YES\nbut rename it first\n"))
        self.assertEqual(("answered", "yes", "unproven"), self.state(question))

    def test_an_answer_that_was_taken_and_is_done_still_counts(self) -> None:
        question = self.asked()
        self.you.send(self.you.answer(question, "no"))
        claim = self.worker.select("worker-claude-7f3a", lease_s=60)
        assert claim is not None
        self.assertEqual("answered", self.state(question)[0])
        claim.ack()
        self.assertEqual(("answered", "no", "unproven"), self.state(question))

    def test_what_is_no_answer_is_refused_before_it_is_sent(self) -> None:
        question = self.asked()
        with self.assertRaisesRegex(ValueError, 'expected "yes" or "no"'):
            self.you.answer(question, "maybe")
        with self.assertRaisesRegex(ValueError, "found no answer"):
            self.you.answer(self.you.write(to="ops", topic="asks nothing"), "yes")

    def test_others_and_late_answers_do_not_count(self) -> None:
        question = self.asked()
        self.sender.send(self.sender.answer(question, "yes"))
        self.you.send(self.you.answer(question, "no"))
        self.you.send(self.you.answer(question, "yes"))
        found = self.worker.question(question)
        assert found is not None
        self.assertEqual("no", found.answer)
        self.assertEqual(["not_asked", "late"], [one.why for one in found.set_aside])

    def test_work_on_a_question_answers_it_where_its_first_line_is_an_answer(self) -> None:
        question = self.worker.ask("ops", "which branch?")
        self.worker.send(question)
        claim = self.sender.select("ops", lease_s=60)
        assert claim is not None
        self.sender.send(claim.reply("main\n"))
        claim.ack()
        self.assertEqual(("answered", "main", "unproven"), self.state(question))

    def test_a_default_that_permits_something_takes_a_second_word(self) -> None:
        with self.assertRaisesRegex(ValueError, "default_permits"):
            self.asked(default="yes", deadline_s=60)
        question = self.asked(default="YES", deadline_s=60, default_permits=True)
        assert question.ask is not None
        self.assertEqual("yes", question.ask.default)

    def test_a_signature_proves_who_answered_and_nobody_else_does(self) -> None:
        (self.root / HIVE / "trust.yaml").write_text(
            "format: 1\nkeys:\n  - {kid: laptop, algorithm: ed25519, actors: [you],"
            f" public: {public_key(SEED).hex()}}}\n"
        )
        question = self.asked()
        answer = self.you.answer(question, "yes")
        self.you.send(answer)
        self.assertEqual(("open", None, None), self.state(question))
        signed = Signer(KeyId("laptop"), "ed25519", SEED).sign(self.you.answer(question, "no"))
        self.you.send(signed)
        self.assertEqual(("answered", "no", "key"), self.state(question))

    def test_what_asks_nothing_or_is_not_there_has_no_state(self) -> None:
        mail = self.worker.write(to="ops", topic="a task")
        self.assertIsNone(self.worker.question(mail))
        self.assertIsNone(self.worker.question(str(mail.id)))

    def test_a_header_that_asks_reads_back_as_it_was_written(self) -> None:
        question = self.asked(default="no", deadline_s=90)
        assert question.ask is not None
        again = Envelope.parse(question.raw)
        self.assertEqual(question.ask, again.ask)
        deadline = question.ask.deadline
        assert deadline is not None
        self.assertLess(deadline, Instant.now().plus(91))


class QuestionWithRsmTest(RsmTest):
    def test_each_side_answers_the_other(self) -> None:
        worker = Hive(self.root, "worker-py")
        self.rsm("send", "--to", "docs", "so that there is an inbox", actor="java-1")
        asked = json.loads(
            self.rsm("ask", "worker://java-1", "--create", "--choice", "yes", "--choice", "no", "--json", "may I?",
                     actor="java-2")
        )
        java = Hive(self.root, "java-1")
        question = java.select("worker-java-1", lease_s=60)
        assert question is not None
        java.send(question.reply("Yes"))
        question.ack()
        state = json.loads(self.rsm("ask", "--status", asked["id"], "--json", actor="java-2"))
        self.assertEqual(("answered", "yes", "java-1"), (state["state"], state["answer"], state["by"]))

        back = worker.ask("worker://java-1", "which branch?")
        worker.send(back)
        self.rsm("reply", str(back.id), "main", actor="java-1")
        found = worker.question(str(back.id))
        assert found is not None
        self.assertEqual(("answered", "main"), (found.state, found.answer))
