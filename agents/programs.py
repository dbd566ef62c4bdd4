"""The agent programs that are tried: which versions, from where, how each is told to talk to the scripted model."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from model import PORT

INSTALL_SECONDS_MAX = 900
KEY = "made-up-key"
ADDRESS = f"http://127.0.0.1:{PORT}"


class Missing(Exception):
    """Something that can't be had on this machine."""


@dataclass(frozen=True)
class Program:
    """One agent program, pinned."""

    name: str
    package: str
    version: str
    executable: str
    """Below the folder of its packages."""
    by_node: bool = False

    def command(self) -> list[str]:
        path = str(self.folder() / "node_modules" / self.executable)
        return [os.path.realpath(require("node")), path] if self.by_node else [path]

    def folder(self) -> Path:
        return cache() / f"{self.name}-{self.version}"

    def install(self) -> None:
        """Fetches it, once for this user. No script of a package is run."""
        if (self.folder() / "node_modules" / self.executable).exists():
            return
        require("npm")
        draft = cache() / f".{self.name}-{self.version}-{os.getpid()}"
        draft.mkdir(parents=True)
        try:
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
            done = subprocess.run(
                ["npm", "install", *quiet, "--prefix", draft, f"{self.package}@{self.version}"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=INSTALL_SECONDS_MAX,
            )
            if done.returncode != 0 or not (draft / "node_modules" / self.executable).exists():
                raise Missing(f"npm can't install {self.package}@{self.version}")
            shutil.rmtree(self.folder(), ignore_errors=True)
            draft.rename(self.folder())
        except subprocess.TimeoutExpired as late:
            raise Missing(f"npm took more than {INSTALL_SECONDS_MAX} s for {self.package}") from late
        finally:
            shutil.rmtree(draft, ignore_errors=True)


PROGRAMS = {
    program.name: program
    for program in (
        Program(
            "claude", "@anthropic-ai/claude-code", "2.1.325", "@anthropic-ai/claude-code-linux-x64/claude"
        ),
        Program(
            "codex",
            "@openai/codex",
            "0.166.0",
            "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        ),
        Program("gemini", "@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js", by_node=True),
        Program("copilot", "@github/copilot", "1.0.102", "@github/copilot-linux-x64/copilot"),
        Program("opencode", "opencode-ai", "1.18.33", "opencode-linux-x64/bin/opencode"),
    )
}


def cache() -> Path:
    """Outside every checkout: the programs are large, and a clone more changes nothing in them."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pheromone-agents"


def require(name: str) -> str:
    found = shutil.which(name)
    if not found:
        raise Missing(f"no {name}")
    return found


def require_machine() -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Missing(f"needs Linux on x86_64, found {platform.system()} on {platform.machine()}")


def environment(name: str) -> dict[str, str]:
    """What makes a program talk to the scripted model, and to nobody else. Every key is made up."""
    if name == "claude":
        off = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER")
        quiet = {variable: "1" for variable in (*off, "DISABLE_ERROR_REPORTING")}
        # Root may let the program act without asking only where it says that this is a sandbox.
        return {"ANTHROPIC_BASE_URL": ADDRESS, "ANTHROPIC_API_KEY": KEY, "IS_SANDBOX": "1", **quiet}
    if name == "codex":
        return {"SCRIPTED_KEY": KEY}
    if name == "gemini":
        trust = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
        return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": ADDRESS, "GEMINI_TELEMETRY_ENABLED": "false", **trust}
    if name == "copilot":
        provider = {"BASE_URL": f"{ADDRESS}/v1", "TYPE": "openai", "API_KEY": KEY}
        own = {f"COPILOT_PROVIDER_{variable}": value for variable, value in provider.items()}
        return {**own, "COPILOT_MODEL": "gpt-5", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return {f"OPENCODE_DISABLE_{variable}": "1" for variable in off}


def furnish(name: str, home: Path, project: Path) -> None:
    """Writes what a program wants to find in a new home: as little as it starts with."""
    if name == "claude":
        trusted = {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}
        known = {"hasCompletedOnboarding": True, "theme": "dark", "projects": trusted}
        known["bypassPermissionsModeAccepted"] = True
        known["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        (home / ".claude.json").write_text(json.dumps(known))
    elif name == "codex":
        folder = home / ".codex"
        folder.mkdir(exist_ok=True)
        provider = f'name = "scripted"\nbase_url = "{ADDRESS}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\n'
        (folder / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n\n'
            f"[model_providers.scripted]\n{provider}\n"
            f'[projects."{project}"]\ntrust_level = "trusted"\n\n'
            '[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"\n'
        )
    elif name == "gemini":
        (home / ".gemini").mkdir(exist_ok=True)
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (home / ".gemini" / "settings.json").write_text(json.dumps(chosen))
    elif name == "opencode":
        folder = home / ".config" / "opencode"
        for settled in (folder, project / ".opencode"):
            settle(settled)
        options = {"baseURL": f"{ADDRESS}/v1", "apiKey": KEY}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": {"name": "scripted"}}}
        settings = {"model": "lab/scripted", "provider": {"lab": provider}, "permission": "allow"}
        (folder / "opencode.json").write_text(json.dumps(settings))


def settle(folder: Path) -> None:
    """Lets a folder of OpenCode look as after its first start with a network: else it waits a minute for npm."""
    package = {"@opencode-ai/plugin": PROGRAMS["opencode"].version}
    (folder / "node_modules").mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"dependencies": package}))
    (folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": {"dependencies": package}}}))


def once(name: str, prompt: str, words: tuple[str, ...] = ()) -> list[str]:
    """The command line for one prompt without a terminal, with `words` more, in which nobody is asked for permission."""
    command = PROGRAMS[name].command()
    line = {
        "claude": [*command, "-p", prompt, "--dangerously-skip-permissions"],
        "codex": [*command, "exec", "--dangerously-bypass-approvals-and-sandbox", prompt],
        "gemini": [*command, "-p", prompt, "--yolo", "-m", "gemini-2.5-flash"],
        "copilot": [*command, "-p", prompt, "--allow-all-tools", "--allow-all-paths"],
        "opencode": [*command, "run", prompt],
    }[name]
    return [*line, *words]


def seated(name: str) -> list[str]:
    """The command line for somebody who sits before a terminal, and lets the program do all without asking."""
    command = PROGRAMS[name].command()
    words = {
        "claude": ["--dangerously-skip-permissions"],
        "codex": ["--dangerously-bypass-approvals-and-sandbox"],
        "gemini": ["--yolo", "-m", "gemini-2.5-flash"],
        "opencode": [],
    }
    return [*command, *words[name]]


def add_server(name: str) -> list[str]:
    """The command by which somebody gives a program our MCP server, as docs/guide/mcp.md says."""
    words = {
        "claude": ["mcp", "add", "--scope", "project", "pheromone", "--", "rsm", "mcp"],
        "codex": ["mcp", "add", "pheromone", "--", "rsm", "mcp"],
        "gemini": ["mcp", "add", "pheromone", "rsm", "mcp"],
    }
    return [*PROGRAMS[name].command(), *words[name]]
