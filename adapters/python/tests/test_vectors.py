"""Every case in spec/vectors, read by this package."""

from __future__ import annotations

import hashlib
import json
import re
import unittest
from pathlib import Path
from typing import Callable

from pheromone import ed25519
from pheromone.admission import PressureLimits, Sent, SenderLimits
from pheromone.claimtoken import ClaimToken
from pheromone.config import HiveConfig
from pheromone.envelope import Envelope
from pheromone.header import MalformedEnvelope
from pheromone.instant import Instant
from pheromone.life import Answer, Holder, Life, LifeLimits, Step, Term, Why, objections
from pheromone.mailevents import MailEvents
from pheromone.question import Ask, Question, StoredAnswer
from pheromone.rse import Event, parse_json, read_events
from pheromone.trust import Key, SignatureCheck, TrustList, signed_bytes
from pheromone.urgency import HalfLife, Urgency, in_order, turn_of
from pheromone.values import Actor, Address, Consent, Domain, EnvelopeId, KeyId, Priority, Reach, Ttl

VECTORS = next(p / "spec/vectors" for p in Path(__file__).resolve().parents if (p / "spec/vectors").is_dir())


class Vector:
    """One case: what a reader must make of the bytes."""

    def __init__(self, path: Path) -> None:
        head, _, self.case = path.read_bytes().partition(b"\n\n")
        self.name = f"{path.parent.name}/{path.name}"
        self.head = dict(_head_line(line) for line in head.decode("ascii").split("\n"))
        self.expect = self.head["expect"]

    def __getitem__(self, key: str) -> str:
        return self.head[key]

    def get(self, key: str) -> str | None:
        return self.head.get(key)


def _head_line(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda unit: chr(int(unit[1], 16)), value[1:])
    # Two units that are a pair are one character.
    return key, unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _asked(envelope: Envelope) -> dict[str, object]:
    ask = envelope.ask
    if ask is None:
        return {key: None for key in ("ask", "ask_free", "ask_default", "ask_deadline", "ask_of")}
    return {
        "ask": ", ".join(ask.choices),
        "ask_free": str(ask.free).lower(),
        "ask_default": ask.default,
        "ask_deadline": ask.deadline,
        "ask_of": " ".join(ask.of),
    }


class LifeCase:
    """One case of the family ``life``: what was known of a copy, and a step."""

    GIVEN = set(
        "expect comment was was_first_seen was_failures was_not_before was_claim was_lease_ends_at was_closing was_why"
        " was_note step now attempts_max likeness made rationale shown said pause_s inbox taken_as signature".split()
    )

    def __init__(self, test: VectorsTest, vector: Vector) -> None:
        self.test, self.vector = test, vector
        self.envelope = Envelope.parse(vector.case)
        self.inbox = Domain(vector.get("inbox") or "code")
        self.now = Instant.parse(vector["now"])
        self.limits = LifeLimits(int(vector.get("attempts_max") or 5))
        self.found: dict[str, object] = {}

    def life(self) -> Life:
        vector = self.vector
        not_before, why, claim = (vector.get(key) for key in ("was_not_before", "was_why", "was_claim"))
        holder = None
        if claim is not None:
            token = ClaimToken.parse(claim)
            assert token is not None
            ends_at = Instant.parse(vector["was_lease_ends_at"])
            holder = Holder(claim, token.lease_s, ends_at, vector.get("was_closing"))
        return Life(
            Instant.parse(vector["was_first_seen"]),
            vector["was"],
            int(vector["was_failures"]),
            None if not_before is None else Instant.parse(not_before),
            holder,
            None if why is None else Why.parse(why),
            vector.get("was_note") or "",
        )

    def judge(self) -> None:
        vector, now, term = self.vector, self.now, Term.of(self.envelope)
        step, shown, said = vector["step"], vector.get("shown") or "", vector.get("said") or ""
        is_same = vector.get("likeness") == "same"
        if step == "begin":
            self.after("begun", Life(now), [])
        elif step == "send":
            answer = self.life().sent_again(is_same, self.envelope.id)
            self.found.update(answer=answer.kind, reason=answer.reason)
        elif step == "look":
            self.answered(self.life().look(term, now, self.limits))
        elif step == "claim":
            self.claim()
        elif step == "renew":
            self.answered(self.life().renewed(shown, now))
        elif step == "accept":
            self.answered(self.life().accepted(shown, said, now))
        elif step == "examine":
            self.examine()
        elif step == "meet":
            why = self.life().rules(is_same)
            self.found.update(answer="ended" if why else "free", why=why.code if why else "none")
            if why is not None:
                self.took("ended", Life(now).ended(why, why.text()), self.envelope.id)
        else:
            closing = {"done": "done", "fail": "failed", "release": "released"}[step]
            pause_s = int(vector.get("pause_s") or 0)
            self.answered(self.life().settled(shown, closing, said, pause_s, term, now, self.limits))
        # A key that can't be judged is a failure.
        expected = {key: value for key, value in vector.head.items() if key not in self.GIVEN}
        self.test.assertEqual(expected, {key: str(self.found.get(key)) for key in expected}, vector.name)

    def claim(self) -> None:
        made = ClaimToken.parse(self.vector["made"])
        assert made is not None
        step = self.life().claimed(made)
        self.test.assertEqual(self.life().attempt, made.attempt)
        self.found["holder"] = step.life.holder.claim if step.life.holder else None
        self.after("taken", step.life, self.events().claimed(self.envelope, made, self.vector["rationale"], step.is_first))

    def examine(self) -> None:
        taken_as = EnvelopeId(self.vector.get("taken_as") or self.envelope.id)
        bad = self.vector.get("signature")
        check = SignatureCheck("unsigned") if bad is None else SignatureCheck("bad", reason=bad)
        first_seen = self.life().first_seen
        against = objections(taken_as, self.envelope, first_seen, check, self.inbox, HiveConfig())
        self.found["objections"] = " ".join(one.field for one in against)
        if against:
            self.took("refused", self.life().ended(against[0].why, against[0].text), taken_as)
        else:
            self.after("accepted", self.life(), [])

    def answered(self, answer: Answer) -> None:
        self.found.update(reason=answer.reason, until=answer.until)
        if answer.step is not None:
            self.took(answer.kind, answer.step, self.envelope.id)
        else:
            self.after(answer.kind, self.life(), [])

    def events(self, id: EnvelopeId | None = None) -> MailEvents:
        return MailEvents(Actor("hive-1"), self.inbox, id or self.envelope.id, self.envelope)

    def took(self, answer: str, step: Step, id: EnvelopeId) -> None:
        self.after(answer, step.life, self.events(id).of(step, self.now))

    def after(self, answer: str, life: Life, events: list[Event]) -> None:
        holder = life.holder
        self.found.update(
            answer=answer,
            state=life.state,
            failures=life.failures,
            not_before=life.not_before or "none",
            lease_ends_at=holder.lease_ends_at if holder else "none",
            closing=(holder.closing if holder else None) or "none",
            why=life.why.code if life.why else "none",
            note=life.note,
            events=" ".join(event.type for event in events),
        )
        for number, event in enumerate(events, 1):
            expected = self.vector.get(f"data_{number}")
            if expected is not None:
                self.test.assertEqual(parse_json(expected), event.data, f"{self.vector.name}: data_{number}")
                self.found[f"data_{number}"] = expected


class VectorsTest(unittest.TestCase):
    maxDiff = None

    def check(self, vector: Vector, **found: object) -> None:
        """Compares what was found with what the head gives; a key that is not given is not tested."""
        for key, value in found.items():
            expected = vector.get(key.rstrip("_"))
            if expected is not None:
                self.assertEqual(expected, str(value), f"{vector.name}: {key}")

    def check_envelope(self, vector: Vector, envelope: Envelope) -> None:
        self.assertEqual(vector.case, envelope.raw, vector.name)
        self.check(
            vector,
            id=envelope.id,
            ts=envelope.ts,
            from_=envelope.from_,
            to=" ".join(envelope.to),
            reply_to=envelope.reply_to,
            correlation_id=envelope.correlation_id,
            lane=envelope.lane,
            topic=envelope.topic,
            priority=envelope.priority.value,
            ttl_s=envelope.ttl.seconds,
            scope=envelope.scope,
            consent=envelope.consent.value,
            kid=envelope.kid,
            tags=", ".join(envelope.tags),
            attachments=", ".join(str(one) for one in envelope.attachments),
            traceparent=envelope.traceparent,
            hops=envelope.hops,
            from_origin=envelope.from_origin,
            answer=envelope.answer,
            **_asked(envelope),
            extra=" ".join(envelope.extra),
            body_length=len(envelope.body),
            body_sha256=hashlib.sha256(envelope.body).hexdigest(),
            warnings=" ".join(one.split(": ")[1] for one in envelope.warnings),
        )

    def malformed(self, vector: Vector) -> MalformedEnvelope:
        with self.assertRaises(MalformedEnvelope, msg=vector.name) as caught:
            Envelope.parse(vector.case)
        found = caught.exception
        incomplete = str(found.incomplete).lower()
        self.check(vector, line=found.line, column=found.column, field=found.field, incomplete=incomplete)
        return found

    def judge_envelope(self, vector: Vector) -> None:
        if vector.expect in ("header failure", "body failure"):
            found = self.malformed(vector)
            self.assertEqual(vector.expect == "body failure", found.field == "body", vector.name)
            return
        envelope = Envelope.parse(vector.case)
        self.assertEqual(vector.expect == "success", envelope.hash_matches, vector.name)
        self.check_envelope(vector, envelope)

    def judge_signature(self, vector: Vector) -> None:
        if vector.expect == "header failure":
            self.malformed(vector)
            return
        envelope = Envelope.parse(vector.case)
        material = bytes.fromhex(vector["key"])
        actors = tuple(Actor(name) for name in vector["actors"].split())
        try:
            trust = TrustList((Key(KeyId(vector["kid"]), vector["alg"], material, actors),))
        except ValueError:
            # A key that can't be one is not known.
            trust = TrustList()
        check = trust.check(envelope, Instant.parse("2025-11-03T12:00:00Z"))
        states = {"success": "valid", "unsigned": "unsigned", "signature failure": "bad"}
        self.assertEqual(states[vector.expect], check.state, f"{vector.name}: {check.reason}")
        if envelope.sig is not None:
            algorithm, _, digits = envelope.sig.partition("-")
            signed = signed_bytes(envelope.text, algorithm, envelope.kid)
            self.check(vector, preimage_sha256=hashlib.sha256(signed).hexdigest())
            if algorithm == vector["alg"] == "ed25519":
                answer = ed25519.verify(material, signed, bytes.fromhex(digits))
                self.assertEqual(answer, ed25519.own_verify(material, signed, bytes.fromhex(digits)), vector.name)

    def text(self, vector: Vector, parse: Callable[[str], dict[str, object]]) -> None:
        try:
            found = parse(vector.case.decode())
        except ValueError as e:
            self.assertEqual("failure", vector.expect, f"{vector.name}: {e}")
            return
        self.assertEqual("success", vector.expect, vector.name)
        self.check(vector, **found)

    def judge_address(self, vector: Vector) -> None:
        def parse(text: str) -> dict[str, object]:
            address = Address(text)
            return {"scheme": address.scheme, "name": address.name, "inbox": address.inbox}

        self.text(vector, parse)

    def judge_duration(self, vector: Vector) -> None:
        self.text(vector, lambda text: {"seconds": Ttl(text).seconds})

    def judge_instant(self, vector: Vector) -> None:
        self.text(vector, lambda text: {"instant": Instant.parse(text)})

    def judge_id(self, vector: Vector) -> None:
        def parse(text: str) -> dict[str, object]:
            found = EnvelopeId(text)
            inbox = Domain(vector.get("reply_from") or "code")
            return {"seen_folder": found.seen_folder, "reply_id": EnvelopeId.of_reply(found, inbox)}

        self.text(vector, parse)

    def judge_reach(self, vector: Vector) -> None:
        def parse(text: str) -> dict[str, object]:
            consent = Consent.parse(text) if text else Consent.TEAM
            sent = {reach.value: "sent" if consent.allows(reach) else "refused" for reach in Reach}
            return {"consent": consent.value, **sent}

        self.text(vector, parse)

    def judge_question(self, vector: Vector) -> None:
        lines = [json.loads(line) for line in vector.case.decode().split("\n") if line]
        asked = lines[0]
        deadline = asked.get("deadline_at")
        ask = Ask(
            tuple(asked["ask"]),
            asked.get("free", False),
            asked.get("default"),
            None if deadline is None else Instant.parse(deadline),
            tuple(Address(one) for one in asked.get("of", ())),
        )
        envelope = Envelope.write(
            from_=asked["from"],
            to=asked["to"],
            topic="a question",
            id=asked["id"],
            ts=Instant.parse(asked["ts"]),
            ttl=asked["ttl"],
            ask=ask,
        )
        question = Question.of_envelope(envelope)
        assert question is not None
        answers = [
            StoredAnswer(
                EnvelopeId(one["id"]),
                Actor(one["from"]),
                one["answer"],
                Instant.parse(one["stored_at"]),
                one.get("hash_matches", True),
                SignatureCheck(one.get("signature", "unsigned")),
                one.get("taken", False),
            )
            for one in lines[1:]
        ]
        with_key = (vector.get("keys") or "").split()
        found = question.look(answers, lambda actor, _: actor in with_key, Instant.parse(vector["now"]))
        aside = " ".join(f"{one.answer.id}={one.why}" for one in found.set_aside)
        self.check(
            vector,
            state=found.state,
            ends_at=found.ends_at,
            answer=found.answer,
            by=found.by,
            proof=found.proof,
            answer_id=found.answer_id,
            set_aside=aside or "none",
        )

    def judge_rse(self, vector: Vector) -> None:
        reading = read_events(vector.case)
        self.check(vector, events=len(reading.events), bad=len(reading.bad), torn=int(reading.torn))
        self.check(
            vector,
            types=" ".join(event.type for event in reading.events),
            actors=" ".join(event.actor for event in reading.events),
        )
        if vector.get("type") is not None:
            (event,) = reading.events
            self.check(vector, type=event.type, lane=event.lane, actor=event.actor, ts=event.ts or "unknown")
            if vector.get("data") is not None:
                self.assertEqual(parse_json(vector["data"]), event.data, vector.name)
        for event in reading.events:
            (again,) = read_events(event.to_line()).events
            self.assertEqual((event.type, event.lane), (again.type, again.lane), vector.name)

    def judge_selection(self, vector: Vector) -> None:
        now = Instant.parse(vector["now"])
        half_life = vector.get("half_life") or "ttl/4"
        half = HalfLife.parse(half_life if half_life.startswith("ttl/") else half_life + "s")
        waiting = []
        for line in vector.case.decode().splitlines():
            name, priority, ts, first_seen, ttl, failures, not_before = line.split(" ")
            waiting.append(
                Urgency(
                    EnvelopeId(name),
                    Priority(priority),
                    Instant.parse(ts),
                    Instant.parse(first_seen),
                    int(ttl),
                    half,
                    int(failures),
                    None if not_before == "-" else Instant.parse(not_before),
                )
            )
        turn = turn_of(int(vector["pick"]), int(vector.get("due_turn") or 4), vector["drain"] == "true")
        order = in_order(waiting, now, turn)
        dead = [u for u in waiting if u.is_absurd]
        expired = [u for u in waiting if u not in dead and u.is_expired(now)]
        held = [u for u in waiting if u not in dead + expired and not u.is_ready(now)]
        self.check(
            vector,
            order=" ".join(u.id for u in order),
            effective=" ".join(f"P{u.effective_class(now)}" for u in order),
            weight=" ".join(f"{u.weight(now):.3f}" for u in order),
        )
        warned = [u for u in waiting if u not in dead and u.is_from_the_future]
        for key, found in (("dead", dead), ("expired", expired), ("held", held), ("warned", warned)):
            self.assertEqual(vector.get(key) or "", " ".join(u.id for u in found), f"{vector.name}: {key}")

    def judge_backpressure(self, vector: Vector) -> None:
        limits = PressureLimits(int(vector["depth_max"]), int(vector["oldest_age_max"]))
        held = None if vector["held"] == "none" else vector["held"]
        depth, age = int(vector["depth"]), int(vector["oldest_age"])
        sent = int(vector.get("sent") or 0)
        found = limits.admit(Priority(vector["priority"]), Domain(vector["inbox"]), held, depth, age, sent)
        self.check(
            vector,
            enters=limits.entered(depth, age) or "none",
            over=str(limits.is_over(depth, age)).lower(),
            answer=f"refused {found.retry_after_s}" if found.is_refused else f"admitted {found.delay_ms}",
        )

    def judge_sender(self, vector: Vector) -> None:
        sent = []
        for line in vector.case.decode().splitlines():
            ts, priority, hops = line.split(" ")
            sent.append(Sent(Instant.parse(ts), Priority(priority), int(hops)))
        found = SenderLimits().admit(
            Priority(vector["priority"]),
            int(vector["hops"]),
            sent,
            int(vector["waiting"]),
            int(vector["answers"]),
            Instant.parse(vector["now"]),
        )
        self.check(vector, answer=f"refused {found.retry_after_s}" if found.is_refused else "admitted")

    def judge_claim(self, vector: Vector) -> None:
        found = ClaimToken.parse(vector.case.decode())
        self.assertEqual(vector.expect == "success", found is not None, vector.name)
        if found is not None:
            self.assertEqual(vector.case.decode(), str(found), vector.name)
            keys = {"claimed_at": found.claimed_at, "lease_s": found.lease_s, "tag": found.tag}
            attendant = found.attendant or "none"
            self.check(vector, id=found.id, attempt=found.attempt, worker=found.worker, attendant=attendant, **keys)

    def judge_life(self, vector: Vector) -> None:
        LifeCase(self, vector).judge()

    def families(self) -> dict[str, Callable[[Vector], None]]:
        known = "address backpressure claim duration envelope id instant life question reach rse selection sender signature".split()
        return {**{name: getattr(self, f"judge_{name}") for name in known}, "hash": self.judge_envelope}

    def test_every_family_is_known(self) -> None:
        found = {folder.name for folder in VECTORS.iterdir() if folder.is_dir()}
        self.assertLessEqual(found, set(self.families()))

    def test_every_case(self) -> None:
        count = 0
        for name, family in self.families().items():
            for path in sorted((VECTORS / name).glob("*")):
                count += 1
                with self.subTest(case=f"{name}/{path.name}"):
                    family(Vector(path))
        self.assertGreater(count, 600)


if __name__ == "__main__":
    unittest.main()
