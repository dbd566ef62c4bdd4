"""A series of power cuts on one file system, and what was found."""

from __future__ import annotations

import collections
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from guest import LIFE_S_MAX, WORK_S_MIN, Cache, Ended, Life, live
from system import Kit, run, say

IMAGE_BYTES = 640 << 20
CUTS_PER_IMAGE_MAX = 12
# How much later each life is than the one before: more than the minute for which recovery leaves files alone.
CLOCK_STEP_S = 180
# Guests that do not come to their cut; more of them, and something is wrong with the laboratory.
BAD_LIVES_MAX = 5
# Images that the kernel itself can't mount after a cut; README.md says how often that is.
UNMOUNTABLE_MAX = 10
KINDS = ("plain", "typescript", "commands", "resident", "doctor", "recovery")
# A control shows loss only if it confirmed something before.
CONTROL_WORK_S_MIN = 1.0
# What a control leaves of a hive may be of no use to any load, which then never comes to its cut.
CONTROL_LIFE_S_MAX = 90.0
TROUBLES_SHOWN_MAX = 8
TROUBLE_LENGTH_MAX = 200

WHOLE_BLOCKS = (Cache(0), Cache(50), Cache(100))
# ext4 does not mount after torn blocks, which makes the disk harder than real ones.
WITH_TORN_BLOCKS = (*WHOLE_BLOCKS, Cache(50, piece_bytes=512))


@dataclass(frozen=True)
class Plan:
    """What is done in a series, and what must come out."""

    name: str
    file_system: str
    cuts: int
    caches: tuple[Cache, ...] = WHOLE_BLOCKS
    is_control: bool = False
    """A control must lose mail, everything else must not."""
    mount_options: str = ""
    has_lying_fsync: bool = False


QUICK_CUTS = 6
PLANS = (
    Plan("ext4", "ext4", cuts=100),
    Plan("xfs", "xfs", cuts=50, caches=WITH_TORN_BLOCKS),
    Plan("btrfs", "btrfs", cuts=60, caches=WITH_TORN_BLOCKS),
    Plan("no-fsync", "ext4", cuts=QUICK_CUTS, is_control=True, has_lying_fsync=True),
    Plan("no-barrier", "ext4", cuts=QUICK_CUTS, is_control=True, mount_options="barrier=0", caches=WHOLE_BLOCKS[:2]),
)


@dataclass
class Tally:
    """What was found. Copies are named by image, id and inbox, so that each is counted once."""

    cuts: int = 0
    sends: int = 0
    dones: int = 0
    lost: set = field(default_factory=set)
    undone: set = field(default_factory=set)
    again: set = field(default_factory=set)
    dead: set = field(default_factory=set)
    torn: set = field(default_factory=set)
    senders: collections.Counter = field(default_factory=collections.Counter)
    unmountable: int = 0
    bad_lives: int = 0
    troubles: collections.Counter = field(default_factory=collections.Counter)

    def broken(self) -> int:
        return len(self.lost) + len(self.undone) + len(self.again) + len(self.dead)


class Image:
    """One image and the ledger of what was confirmed on it, over the lives of its guests."""

    def __init__(self, number: int, tally: Tally) -> None:
        self.number = number
        self.tally = tally
        self.ledger: list[str] = []
        self.done_at: dict[tuple[str, str], int] = {}
        # What no check has looked at yet.
        self.cuts_unchecked = 0
        self.senders_unchecked: collections.Counter = collections.Counter()
        self.sends_checked = 0
        self.dones_checked = 0
        self.is_unmountable = False

    def read(self, lines: list[str]) -> None:
        findings = {
            "LOST": self.tally.lost,
            "UNDONE": self.tally.undone,
            "DEAD": self.tally.dead,
            "TWICE": self.tally.again,
            "TORN": self.tally.torn,
        }
        for line in lines:
            kind, *words = line.split() or [""]
            if kind in findings and len(words) >= 2:
                self.find(findings[kind], line, words)
            elif kind == "CHECKED":
                self.checked(int(words[0]), int(words[1]))
            elif kind == "S" and len(words) == 4:
                self.ledger.append(line)
                self.senders_unchecked[words[3]] += 1
            elif kind == "C" and len(words) == 4:
                self.claimed(line, words)
            elif kind == "D" and len(words) == 4:
                self.finished(line, words)
            elif kind == "X":
                self.tally.troubles[line[:TROUBLE_LENGTH_MAX]] += 1

    def find(self, found: set, line: str, words: list[str]) -> None:
        copy = (self.number, words[0], words[1])
        if copy not in found:
            found.add(copy)
            if len(found) <= TROUBLES_SHOWN_MAX:
                say(f"  {line}")

    def claimed(self, line: str, words: list[str]) -> None:
        """A claim after the end breaks a promise. A line that is only late has an attempt that is no later."""
        attempt = self.done_at.get((words[0], words[1]))
        if attempt is not None and int(words[2]) > attempt:
            self.find(self.tally.again, line, words)

    def finished(self, line: str, words: list[str]) -> None:
        copy = (words[0], words[1])
        if copy in self.done_at:
            self.find(self.tally.again, line, words)
        self.done_at[copy] = int(words[2])
        self.ledger.append(line)

    def checked(self, sends: int, dones: int) -> None:
        """A guest has looked at the whole ledger of the lives before its own."""
        self.tally.sends += sends - self.sends_checked
        self.tally.dones += dones - self.dones_checked
        self.sends_checked, self.dones_checked = sends, dones
        self.tally.cuts += self.cuts_unchecked
        self.tally.senders += self.senders_unchecked
        self.cuts_unchecked = 0
        self.senders_unchecked.clear()


class Series:
    def __init__(self, plan: Plan, folder: Path, kit: Kit, seed: int, latest: float, keep: bool) -> None:
        self.plan = plan
        self.folder = folder
        self.kit = kit
        self.chance = random.Random(f"{seed} {plan.name}")
        self.latest = latest
        self.keep = keep
        self.tally = Tally()
        self.kinds = [kind for kind in KINDS if kind != "typescript" or kit.node]
        if plan.is_control:
            self.kinds = ["plain"]

    def run(self) -> Tally:
        self.folder.mkdir(parents=True)
        number = 0
        while self.goes_on():
            number += 1
            image = self.folder / f"image-{number}"
            self.make_file_system(image)
            self.wear_out(number, image)
            if not self.keep:
                image.unlink()
        return self.tally

    def goes_on(self) -> bool:
        if self.plan.is_control and self.tally.lost:
            return False
        is_stuck = self.tally.bad_lives > BAD_LIVES_MAX or self.tally.unmountable > UNMOUNTABLE_MAX
        return self.tally.cuts < self.plan.cuts and not is_stuck and not self.is_late()

    def is_late(self) -> bool:
        return time.monotonic() > self.latest

    def make_file_system(self, image: Path) -> None:
        with image.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        force = "-F" if self.plan.file_system == "ext4" else "-f"
        program = self.kit.programs[f"mkfs.{self.plan.file_system}"]
        run(program, "-q", force, image, env=self.kit.environment()).check_returncode()

    def wear_out(self, number: int, path: Path) -> None:
        """Cuts the power of one image's guests until there were enough cuts, then checks for the last time."""
        image = Image(number, self.tally)
        cuts = min(CUTS_PER_IMAGE_MAX, self.plan.cuts - self.tally.cuts)
        lived = 0
        while lived < cuts and not self.is_late():
            if not self.live_once(path, image, "first" if lived == 0 else "next", lived):
                break
            lived += 1
        if lived > 0 and not image.is_unmountable:
            self.live_once(path, image, "last", lived + 1)

    def live_once(self, path: Path, image: Image, step: str, lived: int) -> bool:
        """Whether the image can be used on."""
        life = Life(
            file_system=self.plan.file_system,
            step=step,
            kind=self.kinds[lived % len(self.kinds)],
            cache=self.chance.choice(self.plan.caches),
            clock_ahead_s=CLOCK_STEP_S * lived,
            mount_options=self.plan.mount_options,
            has_lying_fsync=self.plan.has_lying_fsync,
            work_s_min=CONTROL_WORK_S_MIN if self.plan.is_control else WORK_S_MIN,
            life_s_max=CONTROL_LIFE_S_MAX if self.plan.is_control else LIFE_S_MAX,
        )
        began = time.monotonic()
        ended = live(self.folder, path, life, self.kit, image.ledger, self.chance)
        self.keep_console(life, ended)
        image.read(ended.lines)
        image.cuts_unchecked += ended.was_cut
        say(self.told(life, ended, time.monotonic() - began))
        return self.judge(life, ended, image)

    def judge(self, life: Life, ended: Ended, image: Image) -> bool:
        if "UNMOUNTABLE" in ended.lines:
            image.is_unmountable = True
            self.tally.unmountable += 1
            return False
        is_whole = "UNMOUNTED" in ended.lines if life.step == "last" else ended.was_cut
        self.tally.bad_lives += not is_whole
        return is_whole

    def told(self, life: Life, ended: Ended, took_s: float) -> str:
        sends = sum(line.startswith("S ") for line in ended.lines)
        dones = sum(line.startswith("D ") for line in ended.lines)
        end = "cut" if ended.was_cut else "took too long" if ended.took_too_long else "ended"
        if "UNMOUNTABLE" in ended.lines:
            kernel = [line for line in ended.lines if line.startswith("[")][-1:]
            end = f"the kernel can't mount its own image: {' '.join(kernel)[:TROUBLE_LENGTH_MAX]}"
        what = "check" if life.step == "last" else life.kind
        return f"  {self.plan.name} {self.tally.cuts}/{self.plan.cuts} {what}: {end}, {took_s:.0f}s, {sends} sends, {dones} dones"

    def keep_console(self, life: Life, ended: Ended) -> None:
        with (self.folder / "console.log").open("a") as log:
            log.write(f"== {life}\n" + "".join(f"{line}\n" for line in ended.lines))
