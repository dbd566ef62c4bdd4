"""Finds the hive that a folder belongs to: the nearest one above it, as git finds a repository.

All work trees of one repository share one hive, the main work tree's: "nearest" alone would find an empty second hive
in a linked one, which has a copy of the hive's versioned files.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pheromone import yaml
from pheromone.guard import HIVE, Access, Guard, read_regular

_POINTER_BYTES_MAX = 16 * 1024
_CONFIG_BYTES_MAX = 1024 * 1024


class NoHive(FileNotFoundError):
    """There is no hive to use, or it can't be told which."""


@dataclass(frozen=True)
class _Tree:
    """What the ``.git`` in a folder makes of it: ``main``, ``linked``, ``bare`` or ``lost`` work tree."""

    kind: str
    top: Path
    main: Path | None = None
    reason: str = ""

    def counterpart_of(self, folder: Path) -> Path:
        """The folder of the main tree that stands where ``folder`` does in this one."""
        return Path(os.path.normpath((self.main or self.top) / folder.relative_to(self.top)))


def find_root(start: Path | str | None = None) -> Path:
    """The root of the hive that whoever works in ``start`` uses; without one, ``RSM_ROOT`` or the working folder."""
    named = os.environ.get("RSM_ROOT") if start is None else None
    if named:
        return hive_at(named)
    return _search(Path(os.path.realpath(start or os.getcwd())))


def _search(start: Path) -> Path:
    hive: Path | None = None
    bare: _Tree | None = None
    for folder in (start, *start.parents):
        if hive is None and _holds_hive(folder):
            hive = folder
        tree = _tree_at(folder)
        if tree is None:
            continue
        if hive is not None and (tree.kind == "main" or _is_separate(hive)):
            return hive
        if tree.kind == "linked":
            if hive is not None:
                return _shared(tree, hive)
            counterpart = tree.counterpart_of(start)
            for theirs in (counterpart, *counterpart.parents):
                if _holds_hive(theirs):
                    return Path(os.path.realpath(theirs))
        elif tree.kind == "bare":
            # All trees of a bare repository may lie in one folder, and share the hive there.
            hive, bare = None, tree
        elif tree.kind == "lost":
            raise NoHive(f"the main work tree of {tree.top} can't be found: {tree.reason}")
    if hive is not None:
        return hive
    if bare is not None:
        raise NoHive(f"no hive above {bare.top}, a work tree of a bare repository")
    raise NoHive(f"no hive in {start} or any folder above it; make one with: rsm init")


def hive_at(named: Path | str) -> Path:
    """The root of the hive in this very folder: naming a linked work tree does not make a second hive of it either."""
    root = Path(os.path.realpath(named))
    tree = next((tree for tree in map(_tree_at, (root, *root.parents)) if tree), None)
    if _holds_hive(root) and (tree is None or tree.kind == "main" or _is_separate(root)):
        return root
    if tree is not None and tree.kind == "linked":
        return _shared(tree, root)
    raise NoHive(f"no hive in {root}; make one with: rsm init {root}")


def _shared(tree: _Tree, folder: Path) -> Path:
    counterpart = tree.counterpart_of(folder)
    if not _holds_hive(counterpart):
        raise NoHive(f"no hive in {counterpart}, whose hive the linked work tree {tree.top} shares")
    return Path(os.path.realpath(counterpart))


def _holds_hive(folder: Path) -> bool:
    """Fails on a name that is taken by something else: to look further up would silently find another hive."""
    try:
        status = os.lstat(folder / HIVE)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISDIR(status.st_mode):
        raise NoHive(f"{folder / HIVE}: found no folder, expected one")
    return True


def _is_separate(root: Path) -> bool:
    """Whether ``hive.yaml`` says that the hive in ``root`` is not shared. Shared is the rule, under a lock too."""
    file = root / HIVE / "hive.yaml"
    with Guard(root, gated=False).enter() as locks:
        if locks.check(file, Access.READ):
            return False
        try:
            config = yaml.parse(read_regular(file, yaml.BYTES_MAX))
        except FileNotFoundError:
            return False
        except ValueError as e:
            raise NoHive(f"{file}: {e}") from None
    return isinstance(config, dict) and config.get("separate") == "true"


def _tree_at(folder: Path) -> _Tree | None:
    """The work tree whose top is ``folder``. Git itself is not asked: it may be missing."""
    git = folder / ".git"
    try:
        status = os.lstat(git)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return _Tree("main", folder)
    pointer = _text(git)
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    git_folder = Path(os.path.normpath(folder / pointer[len("gitdir:") :].strip()))
    # By its own file if that can be read, else by its place: what can't be reached is no ordinary folder.
    looks_linked = git_folder.parent.name == "worktrees" and git_folder.parent.parent.name != "modules"
    if not os.path.lexists(git_folder / "commondir") and not looks_linked:
        return None
    common = _text(git_folder / "commondir")
    if common is None:
        return _Tree("lost", folder, reason=f"there is no {git_folder}")
    repository = Path(os.path.normpath(git_folder / common))
    settings = _core_settings(repository)
    if settings.get("bare", "").lower() in ("true", "yes", "on", "1"):
        return _Tree("bare", folder)
    if "worktree" in settings:
        main = Path(os.path.normpath(repository / settings["worktree"]))
    elif repository.name == ".git":
        main = repository.parent
    else:
        return _Tree("lost", folder, reason=f"{repository} lies outside its work tree")
    if not main.exists():
        return _Tree("lost", folder, reason=f"there is no {main}")
    return _Tree("linked", folder, Path(os.path.realpath(main)))


def _core_settings(repository: Path) -> dict[str, str]:
    """What git's configuration says in its section ``core``."""
    settings: dict[str, str] = {}
    for name in ("config", "config.worktree"):
        in_core = False
        for line in (_text(repository / name, _CONFIG_BYTES_MAX) or "").split("\n"):
            text = line.strip()
            if text.startswith("["):
                in_core = text.lower().startswith("[core]")
                text = text.partition("]")[2].strip()
            key, equals, value = text.partition("=")
            if in_core and key.strip():
                settings[key.strip().lower()] = value.strip().strip('"') if equals else "true"
    return settings


def _text(file: Path, size_max: int = _POINTER_BYTES_MAX) -> str | None:
    try:
        return read_regular(file, size_max).decode(errors="replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
