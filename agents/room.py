"""A place for one run: a new home, a repository with a hive, and namespaces in which there is no network but loopback."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model import Part, Scripts
from person import Done
from programs import Missing, environment, furnish, once, require, seated

CHECKOUT = Path(__file__).resolve().parent.parent
AGENTS = CHECKOUT / "agents"
RUN_SECONDS_MAX = 90
BUILD_SECONDS_MAX = 280
# Settings of the user who runs this: covered, though no program here is told of that home.
COVERED = (".claude", ".codex", ".gemini", ".copilot", ".config", ".local/share/opencode", ".ssh", ".aws")
SECRET = "MARKER-OF-THE-SECRET-4F7A"
FROZEN = "this line was frozen\n"
FREE = "MARKER-OF-A-FREE-FILE-91C2"


@dataclass
class Run:
    """What one run of a program left behind."""

    exit: int
    output: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    """What was done at other terminals meanwhile."""

    def told(self) -> str:
        """All that the model was told."""
        return "\n".join(json.dumps(request["body"]) for request in self.requests)

    def leaked(self) -> bool:
        return SECRET in self.told()


def namespaces() -> list[str]:
    """The command that makes namespaces, with all that runs in them ending with it."""
    own = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    return [require("unshare"), *mapped, *own]


def require_namespaces() -> None:
    done = subprocess.run([*namespaces(), "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"this user can't make namespaces: {done.stderr.strip()[:200]}")


class Room:
    """A folder of one story: home, bin, tmp and the project in it."""

    def __init__(self, folder: Path, program: str, others: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.program = program
        self.others = others
        self.home = folder / "home"
        self.bin = folder / "bin"
        self.project = folder / "project"
        self.runs = 0
        for made in (self.home, self.bin, self.project, folder / "tmp"):
            made.mkdir(parents=True)
        for name in (program, *others):
            furnish(name, self.home, self.project)
        # Codex runs commands in a login shell, which begins with the system's PATH.
        (self.home / ".bash_profile").write_text(f'PATH="{self.bin}:$PATH"\n')
        self.launch_by(CHECKOUT / "rsm")
        self.git("init", "-q")
        self.git("config", "user.email", "tester@example.org")
        self.git("config", "user.name", "tester")
        for name, text in (("secret/key.txt", SECRET), ("frozen/kept.txt", FROZEN), ("free.txt", FREE)):
            (self.project / name).parent.mkdir(exist_ok=True)
            (self.project / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "as it was")
        self.rsm("init", "--quiet")

    def launch_by(self, launcher: Path | None) -> None:
        """Makes `rsm` on the PATH lead there; nowhere if it is None."""
        name = self.bin / "rsm"
        name.unlink(missing_ok=True)
        if launcher:
            name.symlink_to(launcher)

    def launch_by_clone(self) -> None:
        """What somebody does who has found the project: clones it, and starts it, which builds it."""
        clone = self.folder / "pheromone"
        self.plain("git", "clone", "--quiet", CHECKOUT, clone)
        log = self.folder / "build.txt"
        with log.open("w") as output:
            # With the settings and the downloads of whoever runs this: how fast their network is says nothing of us.
            built = subprocess.run(
                [clone / "rsm", "--version"], stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=BUILD_SECONDS_MAX
            )
        if built.returncode != 0:
            raise AssertionError(f"the clone does not build: {log.read_text()[-600:]}")
        self.launch_by(clone / "rsm")

    def launch_script(self, text: str, mode: int = 0o755) -> None:
        """Puts a program of this text in the place of `rsm`."""
        self.launch_by(None)
        (self.bin / "rsm").write_text(text)
        (self.bin / "rsm").chmod(mode)

    def environment(self) -> dict[str, str]:
        """A new one: nothing of the caller's."""
        tmp = str(self.folder / "tmp")
        found = {str(Path(require(name)).parent) for name in ("node", "git", "bash")}
        path = ":".join([str(self.bin), *sorted(found), "/usr/local/bin", "/usr/bin", "/bin"])
        plain = {"HOME": str(self.home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        return {**plain, "TMPDIR": tmp, "CLAUDE_CODE_TMPDIR": tmp}

    def environment_of(self, program: str) -> dict[str, str]:
        return {**self.environment(), **environment(program)}

    def another(self, program: str, prompt: str = "begin", more: dict[str, str] | None = None) -> str:
        """The command of a shell that runs another program beside; `more` goes into its environment."""
        variables = [f"{name}={value}" for name, value in {**self.environment_of(program), **(more or {})}.items()]
        return shlex.join(["env", "-i", *variables, *once(program, prompt)])

    def plain(self, *command: str | Path, may_fail: bool = False) -> str:
        """Runs a command of a person in the project, and returns what it says."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=RUN_SECONDS_MAX,
        )
        if done.returncode != 0 and not may_fail:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stdout[-600:]}")
        return done.stdout

    def git(self, *words: str) -> str:
        return self.plain("git", *words)

    def rsm(self, *words: str, may_fail: bool = False) -> str:
        return self.plain(CHECKOUT / "rsm", *words, may_fail=may_fail)

    def lock(self) -> None:
        """`secret/` may not be read, `frozen/` not be changed."""
        self.rsm("lock", "dnr", "secret/**", "--reason", "customer data", "--quiet")
        self.rsm("lock", "do-not-alter", "frozen/**", "--reason", "kept as it is", "--quiet")

    def ask(
        self,
        script: list[list[Part]],
        prompt: str = "begin",
        words: tuple[str, ...] = (),
        more: dict[str, str] | None = None,
        scripts: Scripts | None = None,
    ) -> Run:
        """One prompt, without a terminal, against a model with this script; `more` goes into the environment."""
        return self.inside(once(self.program, prompt, words), script, more, scripts=scripts)

    def sit(self, script: list[list[Part]], acts: Sequence[Sequence[Any]], more: dict[str, str] | None = None) -> Run:
        """The program in a terminal, with somebody who does these acts before it; `inside.py` says what there is to do."""
        return self.inside(seated(self.program), script, more, acts)

    def inside(
        self,
        command: list[str],
        script: list[list[Part]],
        more: dict[str, str] | None = None,
        acts: Sequence[Sequence[Any]] | None = None,
        scripts: Scripts | None = None,
    ) -> Run:
        """Runs a command in namespaces of its own, with the scripted model; `scripts` are those of other programs."""
        self.runs += 1
        log = self.folder / f"requests-{self.runs}.jsonl"
        log.touch()
        done = self.folder / f"done-{self.runs}.json"
        order = self.folder / f"order-{self.runs}.json"
        own = {**self.environment_of(self.program), **(more or {})}
        # Other terminals know which session's requests are theirs to look at.
        persons = {**self.environment(), "REQUESTS": str(log)}
        covered = [str(Path.home() / name) for name in COVERED if (Path.home() / name).is_dir()]
        told: dict[str, Any] = {"scripts": {"": script, **(scripts or {})}, "log": str(log), "command": command}
        told |= {"environment": own, "persons": persons}
        told |= {"folder": str(self.project), "covered": covered, "acts": acts or [], "done": str(done)}
        order.write_text(json.dumps({**told, "terminal": str(self.folder / f"tmux-{self.runs}")}))
        status, output = self.bounded([*namespaces(), sys.executable, str(AGENTS / "inside.py"), str(order)])
        requests = [json.loads(line) for line in log.read_text().splitlines()]
        kept = json.loads(done.read_text()) if done.exists() else []
        return Run(status, output, requests, [Done(**one) for one in kept])

    def bounded(self, command: list[str]) -> tuple[int, str]:
        """Runs it with an end: whatever it does, it is killed after a time, and all that it started."""
        # Output goes to a file: a process that was left behind could hold a pipe open.
        with (self.folder / f"output-{self.runs}.txt").open("w+") as output:
            running = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
            try:
                status = running.wait(RUN_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                status = 128 + signal.SIGKILL
                running.wait()
            output.seek(0)
            return status, output.read()

    def blocked(self) -> int:
        """How many calls the hook has stopped, by the event log."""
        return self.rsm("log", "--type", "policy_guard", "--json").count('"policy_guard"')

    def frozen_is_whole(self) -> bool:
        return (self.project / "frozen/kept.txt").read_text() == FROZEN

    def leave(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
