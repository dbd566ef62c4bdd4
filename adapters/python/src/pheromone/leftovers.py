"""Which name of a copy counts when a power cut has left it two.

A file system may bring back the old name of a file that was renamed shortly before (btrfs does), so that one file has
names in two rooms of the hive. It is one copy, and its later state counts: waiting, claimed, over. Every other name is
a leftover: it is passed over here, and removed by ``rsm``.
"""

from __future__ import annotations

from pathlib import Path

from pheromone.claimtoken import ClaimToken
from pheromone.files import HiveFiles
from pheromone.history import History
from pheromone.layout import Layout
from pheromone.values import ContentHash, Domain, EnvelopeId

_STATES = ("done", "expired", "dead", "duplicate", "conflict")


class Leftovers:
    """Looks at the rooms in which a copy may have a name."""

    def __init__(self, files: HiveFiles, layout: Layout, history: History) -> None:
        self._files = files
        self._layout = layout
        self._history = history

    def has_gone_on(self, domain: Domain, id: EnvelopeId, hash: ContentHash, file: Path) -> bool:
        """Whether the copy in ``file``, which has a name in the inbox, is claimed or over under another name."""
        claimed = any(not self._came_back(domain, claim) for claim in self._claims(domain, id, file))
        finished = self._files.is_same(self._layout.seen_name(domain, id, hash), file)
        return claimed or finished or bool(self.archived(domain, id, file))

    def is_leftover(self, domain: Domain, claim: ClaimToken) -> bool:
        """Whether the claim's name came back after the claim had ended."""
        file = self._layout.active(domain) / claim.file_name
        status = self._files.stat(file)
        marked = self._files.is_same(self._layout.running(domain, claim.id), file)
        if status is None or status.st_nlink - marked < 2:
            return False
        returning = [f"{claim}{reason}.md" for reason in ("", ".failed", ".released")]
        if any(self._files.is_same(self._layout.returning(domain) / name, file) for name in returning):
            return True
        came_back = self._came_back(domain, claim)
        if came_back and self._files.is_same(self._layout.mail(domain, claim.id), file):
            return True
        for other in self._claims(domain, claim.id, file):
            if other != claim and (
                came_back
                if came_back != self._came_back(domain, other)
                else (claim.claimed_at, claim.tag) < (other.claimed_at, other.tag)
            ):
                return True
        return bool(self.archived(domain, claim.id, file))

    def own_names(self, domain: Domain, id: EnvelopeId, file: Path) -> list[Path]:
        """The names in the inbox and among the claims that the file has besides ``file``."""
        names = [self._layout.active(domain) / claim.file_name for claim in self._claims(domain, id, file)]
        mail = self._layout.mail(domain, id)
        return [name for name in (*names, mail) if name != file and self._files.is_same(name, file)]

    def archived(self, domain: Domain, id: EnvelopeId, file: Path) -> list[Path]:
        """The names of the file in the archive."""
        found = []
        for state in _STATES:
            folder = self._layout.archives(domain) / state
            for day in self._files.list(folder):
                names = [folder / day / name for name in self._files.list(folder / day) if name.startswith(f"{id}.")]
                found += [name for name in names if self._files.is_same(name, file)]
        return found

    def _claims(self, domain: Domain, id: EnvelopeId, file: Path) -> list[ClaimToken]:
        """The claims of this id whose file is this one."""
        folder = self._layout.active(domain)
        claims = (ClaimToken.of_file(name) for name in self._files.list(folder) if name.startswith(f"{id}."))
        return [claim for claim in claims if claim and self._files.is_same(folder / claim.file_name, file)]

    def _came_back(self, domain: Domain, claim: ClaimToken) -> bool:
        """Whether it was told that the claim came back, which is told only after the claim's name has gone."""
        return self._history.came_back(domain, claim)
