"""The event log: any number of writers, whole lines, whatever was there before."""

from __future__ import annotations

import json
import os
import unittest
from decimal import Decimal
from typing import Any

from pheromone import Event, Instant, log_rse, read_events
from pheromone.guard import HIVE, MIRROR
from pheromone.rse import WRITTEN_BYTES_MAX
from tests.hives import HiveTest, finish, python


class LogRseTest(HiveTest):
    def log(self) -> list[dict[str, object]]:
        text = (self.root / HIVE / "telemetry/rse.jsonl").read_text()
        self.assertTrue(text.endswith("\n"))
        return [json.loads(line) for line in text.splitlines()]

    def test_an_event_is_one_line_of_five_fields(self) -> None:
        data = {"topic": "pheromone-rsm-v0.1", "priority": "P1"}
        log_rse(type="pheromone_drop", lane="Governance", actor="Whisperwing", data=data, root=self.root)
        log_rse(event_type="worker_ack", lane="code", actor="a", data={"ref": "x", "status": "done"}, root=self.root)
        first, second = self.log()
        self.assertEqual(["ts", "type", "lane", "actor", "data"], list(first))
        self.assertRegex(str(first["ts"]), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(data, first["data"])
        self.assertEqual(("worker_ack", "Code"), (second["type"], second["lane"]))

    def test_two_types_are_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "type, event_type: found both"):
            log_rse(type="b", event_type="a", lane="Ops", actor="me", root=self.root)

    def test_the_hive_is_found_from_the_working_folder_or_the_environment(self) -> None:
        (self.root / "deep/er").mkdir(parents=True)
        script = "from pheromone import log_rse\nlog_rse('a_type', 'Ops', 'me', {})\n"
        finish(python(f"import os\nos.chdir({str(self.root / 'deep/er')!r})\n" + script))
        finish(python(f"import os\nos.environ['RSM_ROOT'] = {str(self.root)!r}\nos.chdir('/')\n" + script))
        self.assertEqual(2, len(self.log()))

    def test_a_torn_last_line_is_ended_before_the_next(self) -> None:
        (self.root / HIVE / "telemetry").mkdir()
        (self.root / HIVE / "telemetry/rse.jsonl").write_bytes(b'{"ts":"2025-')
        log_rse("a", "Ops", "me", {}, root=self.root)
        reading = read_events((self.root / HIVE / "telemetry/rse.jsonl").read_bytes())
        self.assertEqual((1, 1, False), (len(reading.events), len(reading.bad), reading.torn))

    def test_many_writers_never_mix_their_lines(self) -> None:
        script = (
            "import sys\nfrom pheromone import log_rse\n"
            "for i in range(200):\n"
            "    log_rse('t', 'Ops', sys.argv[2], {'i': i, 'x': 'y' * (i * 50)}, root=sys.argv[1])\n"
        )
        for writer in [python(script, str(self.root), f"w{i}") for i in range(3)]:
            finish(writer)
        reading = read_events((self.root / HIVE / "telemetry/rse.jsonl").read_bytes())
        self.assertEqual(([], False), (reading.bad, reading.torn))
        for name in ("w0", "w1", "w2"):
            own = [event.data["i"] for event in reading.events if event.actor == name]
            self.assertEqual(list(range(200)), own)

    def test_what_is_no_event_is_refused(self) -> None:
        for arguments in ({"lane": "Ops", "actor": "a"}, {"type": "t", "lane": "", "actor": "a"}, {"type": " "}):
            with self.subTest(arguments), self.assertRaises(ValueError):
                log_rse(root=self.root, **arguments)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            log_rse("t", "Ops", "a", {"x": object()}, root=self.root)
        self.assertFalse((self.root / HIVE / "telemetry/rse.jsonl").exists())

    def test_under_a_lock_events_wait_in_the_mirror(self) -> None:
        self.lock_hive()
        for i in range(3):
            log_rse("t", "Ops", "me", {"i": i}, root=self.root)
        log = (self.root / MIRROR / "telemetry/rse.jsonl").read_text().splitlines()
        self.assertEqual(["policy_guard", "t", "t", "t"], [json.loads(line)["type"] for line in log])
        self.assertFalse((self.root / HIVE / "telemetry").exists())

    def test_a_pipe_in_the_place_of_the_log_hangs_nobody(self) -> None:
        (self.root / HIVE / "telemetry").mkdir()
        os.mkfifo(self.root / HIVE / "telemetry/rse.jsonl")
        with self.assertRaises(OSError):
            log_rse("t", "Ops", "a", {}, root=self.root)


class LineTest(unittest.TestCase):
    def test_long_data_is_cut_and_says_so(self) -> None:
        much: list[dict[str, Any]] = [
            {"topic": "x" * 100_000, "id": "kept"},
            {"id": "kept", "list": ["y" * 50] * 10_000},
            {"id": "kept", **{f"k{i}": "z" * 100 for i in range(5_000)}},
            {"id": "kept", "deep": {"er": ["é" * 9_000] * 9}},
        ]
        for data in much:
            line = Event(Instant.now(), "t", "Ops", "a", data).to_line()
            self.assertLessEqual(len(line), WRITTEN_BYTES_MAX)
            (event,) = read_events(line).events
            self.assertEqual((True, "kept"), (event.data["truncated"], event.data["id"]))
            self.assertTrue(event.data["ref"].startswith("sha256:"))

    def test_numbers_and_odd_texts_come_back_as_they_were(self) -> None:
        line = b'{"type":"t","data":{"a":1.10,"b":12345678901234567890123,"c":"\\ud800","d":1e999999999,"e":-0}}\n'
        (event,) = read_events(line).events
        self.assertEqual(Decimal("1.10"), event.data["a"])
        (again,) = read_events(event.to_line()).events
        self.assertEqual(event.data, again.data)
        self.assertIn(b'"a":1.10,"b":12345678901234567890123', event.to_line())


if __name__ == "__main__":
    unittest.main()
