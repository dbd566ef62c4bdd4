"""What happened to each copy, in a file of its own beside it: one JSON line a step, only ever appended."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pheromone.claimtoken import ClaimToken
from pheromone.files import HiveFiles, ends_in_line_end, write_line
from pheromone.instant import Instant
from pheromone.layout import Layout
from pheromone.rse import Json, parse_json, to_json
from pheromone.values import Actor, Domain, EnvelopeId

_BYTES_MAX = 1 << 22
_NOTE_LENGTH_MAX = 1_000


@dataclass(frozen=True)
class Facts:
    """A history, summed up: ``attempts`` are claims so far, less those given back."""

    first_seen: Instant | None = None
    attempts: int = 0
    not_before: Instant | None = None


class History:
    """The histories of a hive. Losing one costs attempt counts and pauses, never mail."""

    def __init__(self, files: HiveFiles, layout: Layout, actor: Actor) -> None:
        self._files = files
        self._layout = layout
        self._actor = actor

    def read(self, domain: Domain, id: EnvelopeId) -> Facts:
        first_seen: Instant | None = None
        not_before: Instant | None = None
        attempts: set[str] = set()
        for step in self._steps(domain, id):
            claim, what = str(step.get("claim")), step.get("what")
            if what == "first_seen":
                first_seen = _time(step.get("ts"))
            elif what == "claim":
                attempts.add(claim)
            elif what == "return":
                attempts.add(claim)
                if step.get("reason") == "released":
                    attempts.discard(claim)
                not_before = _time(step.get("not_before"))
            elif what == "outcome":
                # What has an outcome is in the archive; after an expired one another copy begins anew.
                attempts.discard(claim)
                if step.get("status") == "expired":
                    first_seen, not_before = None, None
                    attempts.clear()
        return Facts(first_seen, len(attempts), not_before)

    def last_of(self, domain: Domain, claim: ClaimToken) -> dict[str, Json]:
        """The last that was said of a claim; empty if nothing was."""
        steps = [step for step in self._steps(domain, claim.id) if step.get("claim") == str(claim)]
        return steps[-1] if steps else {}

    def came_back(self, domain: Domain, claim: ClaimToken) -> bool:
        """Whether it was told that the claim came back to the inbox."""
        steps = self._steps(domain, claim.id)
        return any(step.get("what") == "return" and step.get("claim") == str(claim) for step in steps)

    def first_told(self, domain: Domain, id: EnvelopeId) -> Instant | None:
        """When a copy was first met, whatever became of it since; None if nobody told."""
        for step in self._steps(domain, id):
            if step.get("what") == "first_seen":
                return _time(step.get("ts"))
        return None

    def has_claimed(self, domain: Domain, id: EnvelopeId, actor: Actor) -> bool:
        """Whether an actor ever had a claim of that copy."""
        return any(step.get("what") == "claim" and step.get("by") == actor for step in self._steps(domain, id))

    def _steps(self, domain: Domain, id: EnvelopeId) -> list[dict[str, Json]]:
        try:
            content = self._files.read(self._layout.history(domain, id), _BYTES_MAX)
        except OSError:
            return []
        steps = []
        for line in content.decode(errors="replace").split("\n"):
            try:
                step = parse_json(line)
            except ValueError:
                # A torn line: the step it tells of is known from the files themselves.
                continue
            if isinstance(step, dict):
                steps.append(step)
        return steps

    def first_seen(self, domain: Domain, id: EnvelopeId, at: Instant) -> None:
        self._append(domain, id, {"ts": str(at), "what": "first_seen"})

    def claimed(self, domain: Domain, claim: ClaimToken) -> None:
        step = self._step(claim.claimed_at, "claim", claim, claim.worker)
        self._append(domain, claim.id, {**step, "lease_s": claim.lease_s})

    def outcome(self, domain: Domain, claim: ClaimToken, state: str, note: str, now: Instant) -> None:
        """Says how a claim is about to end; it has ended so only once the seen-set or the archive agrees."""
        step = {**self._step(now, "outcome", claim, self._actor), "status": state}
        # After a power cut, silence is taken for done.
        self._append(domain, claim.id, _with_note(step, note), durable=state != "done")

    def archived(self, domain: Domain, name: str, state: str, reason: str, now: Instant) -> None:
        """Says why a file went to the archive under ``name``, without anybody's claim."""
        self._append(domain, name, _with_note({"ts": str(now), "what": "outcome", "status": state}, reason))

    def returned(self, domain: Domain, claim: ClaimToken, reason: str, note: str, pause_s: int, now: Instant) -> None:
        step = _with_note({**self._step(now, "return", claim, self._actor), "reason": reason}, note)
        if pause_s:
            step["not_before"] = str(now.plus(pause_s))
        self._append(domain, claim.id, step)

    @staticmethod
    def _step(at: Instant, what: str, claim: ClaimToken, by: Actor) -> dict[str, Json]:
        return {"ts": str(at), "what": what, "by": by, "attempt": claim.attempt, "claim": str(claim)}

    def _append(self, domain: Domain, id: str, step: dict[str, Json], durable: bool = False) -> None:
        file: Path = self._layout.history(domain, id)
        self._files.make_folder(file.parent)
        with self._files.append(file) as descriptor:
            line = (to_json(step) + "\n").encode()
            write_line(descriptor, line if ends_in_line_end(descriptor) else b"\n" + line)
            if durable:
                os.fsync(descriptor)
        if durable:
            self._files.sync(file.parent)


def _with_note(step: dict[str, Json], note: str) -> dict[str, Json]:
    if not note:
        return step
    return {**step, "note": note if len(note) <= _NOTE_LENGTH_MAX else note[:_NOTE_LENGTH_MAX] + "…"}


def _time(text: Json) -> Instant | None:
    return Instant.parse_loosely(text) if isinstance(text, str) else None
