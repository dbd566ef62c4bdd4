"""One life of the guest: boots user-mode Linux on an image, lets it work, and cuts its power."""

from __future__ import annotations

import os
import random
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from system import CHECKOUT, POWER, Kit

MEMORY = "900M"
# A boot and the start of Java take ten seconds on an idle machine; many things may run beside us.
LIFE_S_MAX = 240.0
# How long the load works once the senders of that life have begun.
WORK_S_MIN, WORK_S_MAX = 0.05, 5.0
# A command takes seconds in the guest.
COMMANDS_WORK_S_MAX = 12.0
# The part of a life in which `rsm doctor --fix` runs.
RECOVERY_S_MIN, RECOVERY_S_MAX = 0.05, 1.5
FLUSH_US_MAX = 1500
READ_BYTES = 65536


@dataclass(frozen=True)
class Cache:
    """What the disk does with writes that nobody flushed."""

    early_percent: int
    piece_bytes: int = 4096


@dataclass(frozen=True)
class Life:
    """What happens in one life."""

    file_system: str
    step: str
    """``first`` makes the hive, ``next`` works on, ``last`` only checks, and is not cut."""
    kind: str
    """``plain``, ``typescript``, ``commands``, ``resident``, ``doctor`` or ``recovery``."""
    cache: Cache
    clock_ahead_s: int
    mount_options: str = ""
    has_lying_fsync: bool = False
    work_s_min: float = WORK_S_MIN
    life_s_max: float = LIFE_S_MAX


@dataclass
class Ended:
    """How a life ended, and every line that left the guest before."""

    lines: list[str] = field(default_factory=list)
    was_cut: bool = False
    took_too_long: bool = False


def write_life(folder: Path, life: Life, kit: Kit, ledger: list[str]) -> None:
    values = {
        "file_system": life.file_system,
        "mount_options": life.mount_options,
        "kind": life.kind,
        "step": life.step,
        "preload": kit.lying_fsync if life.has_lying_fsync else "",
        "clock_ahead_s": life.clock_ahead_s,
        "checkout": CHECKOUT,
        "java": kit.java,
        "python": os.path.realpath(sys.executable),
        "node": kit.node,
        "classes": kit.classes,
        "adapter": kit.adapter,
    }
    text = "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items())
    (folder / "life.sh").write_text(text)
    (folder / "ledger").write_text("".join(f"{line}\n" for line in ledger))


# The programs that must have confirmed a send before the power is cut. In a plain life any first send will do, so that
# the start of the others is cut off, too.
AWAITED: dict[str, set[str]] = {
    "plain": set(),
    "typescript": {"java", "typescript"},
    "commands": {"java", "commands"},
    "resident": {"java", "resident"},
    "doctor": {"java"},
    "recovery": {"java"},
}


class CutTimer:
    """When the power is to be cut: a random time after the lines that the life waits for."""

    def __init__(self, life: Life, chance: random.Random) -> None:
        self.life = life
        self.at: float | None = None
        self.senders: set[str] = set()
        self.recovery_s = chance.uniform(RECOVERY_S_MIN, RECOVERY_S_MAX)
        work_s_max = COMMANDS_WORK_S_MAX if life.kind in ("commands", "resident") else WORK_S_MAX
        self.work_s = chance.uniform(life.work_s_min, work_s_max)

    def see(self, line: str) -> None:
        if self.at is not None or self.life.step == "last":
            return
        if self.life.kind == "recovery" and line == "FIXING":
            self.at = time.monotonic() + self.recovery_s
        elif line.startswith("S "):
            self.senders.add(line.split()[-1])
            if self.senders >= AWAITED[self.life.kind]:
                self.at = time.monotonic() + self.work_s


class Guest:
    """A running user-mode Linux. All of its processes are one group, which ends as one."""

    def __init__(self, folder: Path, image: Path, life: Life, kit: Kit, disk_seed: int) -> None:
        self.folder = folder
        self.rest = b""
        command = [kit.programs["linux.uml"], f"mem={MEMORY}", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"]
        command += [f"ubd0t={image}", f"init={POWER / 'guest-init'}", f"lab={folder}", f"uml_dir={folder / 'uml'}"]
        command += ["con=null", "con0=fd:0,fd:1"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**kit.environment(), "HOME": str(folder), **disk_settings(image, life, kit, disk_seed)},
            start_new_session=True,
        )
        assert self.process.stdin and self.process.stdout
        self.keyboard, self.console = self.process.stdin, self.process.stdout
        os.set_blocking(self.console.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.console, selectors.EVENT_READ)

    def read(self, wait_s: float) -> list[str] | None:
        """The next whole lines; empty if there are none within the time, None if the guest has ended."""
        if not self.selector.select(max(0.0, wait_s)):
            return []
        data = self.console.read(READ_BYTES)
        if data == b"":
            return None
        *whole, self.rest = (self.rest + (data or b"")).split(b"\n")
        return [line.decode("utf-8", "replace").strip() for line in whole]

    def kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def close(self) -> None:
        self.kill()
        self.selector.close()
        self.console.close()
        self.keyboard.close()
        shutil.rmtree(self.folder / "uml", ignore_errors=True)


def disk_settings(image: Path, life: Life, kit: Kit, seed: int) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(kit.disk),
        "POWER_IMAGE": str(image),
        "POWER_EARLY_PERCENT": str(life.cache.early_percent),
        "POWER_PIECE_BYTES": str(life.cache.piece_bytes),
        "POWER_FLUSH_US_MAX": str(FLUSH_US_MAX),
        "POWER_DISK_SEED": str(seed),
    }


def live(folder: Path, image: Path, life: Life, kit: Kit, ledger: list[str], chance: random.Random) -> Ended:
    """Runs one life to its end."""
    write_life(folder, life, kit, ledger)
    timer = CutTimer(life, chance)
    guest = Guest(folder, image, life, kit, disk_seed=chance.randrange(1, 2**31))
    ended = Ended()
    latest = time.monotonic() + life.life_s_max
    try:
        while not ended.was_cut and not ended.took_too_long:
            lines = guest.read(min(timer.at or latest, latest) - time.monotonic())
            if lines is None:
                return ended
            for line in lines:
                timer.see(line)
            ended.lines += lines
            ended.was_cut = timer.at is not None and time.monotonic() >= timer.at
            ended.took_too_long = time.monotonic() >= latest
        guest.kill()
        # What left the guest before the cut was confirmed, whenever we read it.
        while rest := guest.read(wait_s=0):
            ended.lines += rest
        return ended
    finally:
        guest.close()
