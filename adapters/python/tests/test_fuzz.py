"""Whatever bytes come: an answer, or the one error that is meant for it."""

from __future__ import annotations

import os
import random
import unittest

from pheromone import Envelope, MalformedEnvelope, read_events
from pheromone.yaml import MalformedYaml, parse
from tests.test_vectors import VECTORS, Vector

RUNS = 200_000 if os.environ.get("RSM_LONG") == "true" else 4_000
PIECES = [b"\n", b"\r\n", b"---\n", b": ", b"- ", b"[", b"]", b"{", b"}", b'"', b"'", b"\\u", b"#", b" ", b"\t"]
PIECES += [b"\xff", b"\xc3"]


class FuzzTest(unittest.TestCase):
    def setUp(self) -> None:
        self.seed = int(os.environ.get("RSM_SEED") or random.randrange(1 << 32))
        self.random = random.Random(self.seed)

    def mutated(self, case: bytes) -> bytes:
        raw = bytearray(case[:20_000])
        for _ in range(self.random.randint(1, 4)):
            at = self.random.randrange(len(raw) + 1)
            kind = self.random.randrange(4)
            if kind == 0:
                raw[at:at] = self.random.choice(PIECES)
            elif kind == 1:
                del raw[at : at + self.random.randint(1, 8)]
            elif kind == 2 and at < len(raw):
                raw[at] = self.random.randrange(256)
            else:
                raw[at:at] = raw[: self.random.randrange(len(raw) + 1)][-30:]
        return bytes(raw)

    def cases(self, family: str) -> list[bytes]:
        return [Vector(path).case for path in sorted((VECTORS / family).iterdir())]

    def test_envelopes(self) -> None:
        cases = self.cases("envelope")
        for _ in range(RUNS):
            raw = self.mutated(self.random.choice(cases))
            with self.subTest(seed=self.seed, raw=raw[:200]):
                try:
                    self.assertEqual(raw, Envelope.parse(raw).raw)
                except MalformedEnvelope as e:
                    self.assertGreaterEqual(e.line, 1)

    def test_events(self) -> None:
        cases = [case for case in self.cases("rse") if len(case) < 20_000]
        for _ in range(RUNS):
            raw = self.mutated(self.random.choice(cases))
            with self.subTest(seed=self.seed, raw=raw[:200]):
                for event in read_events(raw).events:
                    self.assertEqual(1, len(read_events(event.to_line()).events))

    def test_configuration(self) -> None:
        cases = [b"format: 1\nkeys:\n  - kid: a\n    actors: [b, 'c']\n", b"- {path_pattern: a, reason: b}\n- c\n"]
        for _ in range(RUNS):
            raw = self.mutated(self.random.choice(cases))
            with self.subTest(seed=self.seed, raw=raw[:200]):
                try:
                    parse(raw)
                except MalformedYaml:
                    pass


if __name__ == "__main__":
    unittest.main()
