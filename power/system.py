"""What the laboratory needs, found on the machine or fetched: a kernel, tools of file systems, compiled parts."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
POWER = CHECKOUT / "power"
TARGET = CHECKOUT / "target" / "power"
UNPACKED = TARGET / "system"

PACKAGES = ("user-mode-linux", "xfsprogs", "btrfs-progs")
# What the tools of these packages are linked with; the names differ between releases of Debian.
LIBRARY_PACKAGES = ("libinih1", "liburcu8", "liburcu8t64", "liblzo2-2", "libreiserfscore0", "libreiserfscore0t64")
PROGRAMS = ("linux.uml", "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs")
# Folders that the guest covers by mounts of its own.
COVERED = ("/mnt", "/proc", "/run")
NODE_MAJOR_MIN = 20


class Missing(Exception):
    """Something that the laboratory can't do without, and can't get here."""


@dataclass(frozen=True)
class Kit:
    """Everything that a life of the guest is made of."""

    programs: dict[str, str]
    disk: Path
    lying_fsync: Path
    classes: Path
    java: str
    node: str
    """Empty if the TypeScript adapter can't take part."""
    adapter: Path

    def environment(self) -> dict[str, str]:
        folders = [str(folder) for folder in UNPACKED.glob("**/lib/*-linux-gnu")]
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}


def say(text: str) -> None:
    print(text, flush=True)


def run(*command: str | Path, **more) -> subprocess.CompletedProcess:
    """Runs a command without a terminal; its output is in the result."""
    words = [str(word) for word in command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)


def run_or_fail(*command: str | Path, **more) -> None:
    done = run(*command, **more)
    if done.returncode != 0:
        sys.exit(f"power: error: {command[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")


def require_machine() -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Missing(f"user-mode Linux is for Linux on x86_64, found {platform.system()} on {platform.machine()}")
    if " " in str(CHECKOUT) or any(CHECKOUT.is_relative_to(folder) for folder in COVERED):
        raise Missing(f"the guest can't see {CHECKOUT}: expected a path without spaces, not in {', '.join(COVERED)}")
    if shutil.which("cc") is None:
        raise Missing("no C compiler (cc)")


def find_program(name: str) -> str | None:
    """The path of an installed or unpacked program."""
    places = [str(UNPACKED / folder) for folder in ("usr/bin", "usr/sbin", "bin", "sbin")]
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin", *places]))


def fetch() -> None:
    """Downloads packages and unpacks them under target/; nothing is installed."""
    downloads = TARGET / "packages"
    downloads.mkdir(parents=True, exist_ok=True)
    say(f"power: fetching {', '.join(PACKAGES)} with apt-get")
    run("apt-get", "update", "-q")
    # One at a time: apt-get downloads nothing at all if it does not know one of the names.
    for name in (*PACKAGES, *LIBRARY_PACKAGES):
        run("apt-get", "download", name, cwd=downloads)
    for package in sorted(downloads.glob("*.deb")):
        run_or_fail("dpkg", "-x", package, UNPACKED)


def find_programs() -> dict[str, str]:
    missing = [name for name in PROGRAMS if find_program(name) is None]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        fetch()
        missing = [name for name in PROGRAMS if find_program(name) is None]
    if missing:
        raise Missing(f"no {', '.join(missing)}: of Debian's packages {', '.join(PACKAGES)} and e2fsprogs")
    return {name: find_program(name) or "" for name in PROGRAMS}


def compile_library(source: str, folder: Path) -> Path:
    library = folder / source.replace(".c", ".so")
    run_or_fail("cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", library, POWER / source)
    return library


def build_product() -> str:
    """Builds `rsm` if its sources changed; returns the Java that it runs on."""
    if subprocess.run([CHECKOUT / "rsm", "--version"], stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit("power: error: ./rsm does not start")
    return (CHECKOUT / "target/rsm/java").read_text().strip()


def compile_load(java: str, folder: Path) -> Path:
    classes = folder / "classes"
    compiler = Path(java).parent / "javac"
    run_or_fail(compiler, "-cp", CHECKOUT / "target/rsm/rsm.jar", "-d", classes, POWER / "PowerLoad.java")
    return classes


def compile_adapter(folder: Path) -> tuple[str, Path]:
    """The path of Node, and of the compiled TypeScript adapter; an empty path if there is no Node, or no compiler."""
    output = folder / "typescript"
    adapter = CHECKOUT / "adapters/typescript"
    node = shutil.which("node")
    if not node or int(run(node, "--version").stdout.lstrip("v").split(".")[0]) < NODE_MAJOR_MIN:
        return "", output
    compiler = adapter / "node_modules/.bin/tsc"
    if not compiler.exists():
        run("npm", "install", "--no-audit", "--no-fund", "--no-save", cwd=adapter)
    if not compiler.exists():
        return "", output
    run_or_fail(compiler, "--outDir", output, cwd=adapter)
    (output / "package.json").write_text('{"type": "module"}\n')
    return os.path.realpath(node), output / "src/index.js"


def prepare(folder: Path) -> Kit:
    """Makes a kit; its compiled parts lie in `folder`. Raises Missing if this machine can't have it."""
    require_machine()
    programs = find_programs()
    java = build_product()
    node, adapter = compile_adapter(folder)
    return Kit(
        programs=programs,
        disk=compile_library("forgetful_disk.c", folder),
        lying_fsync=compile_library("lying_fsync.c", folder),
        classes=compile_load(java, folder),
        java=java,
        node=node,
        adapter=adapter,
    )
