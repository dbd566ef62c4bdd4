"""The answers to a question, as they are stored where it says that answers go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pheromone.config import HiveConfig
from pheromone.envelope import Envelope
from pheromone.files import HiveFiles
from pheromone.header import ENVELOPE_BYTES_MAX
from pheromone.history import History
from pheromone.instant import Instant
from pheromone.layout import Layout
from pheromone.question import Question, QuestionState, StoredAnswer
from pheromone.trust import TrustList
from pheromone.values import Actor, Address, Domain, EnvelopeId

# How far the clock of an asker on another machine may be ahead of this one.
_CLOCK_SKEW_S = 600

_ENDS = ("done", "expired", "dead")


class Answers:
    """A look at one hive, for what became of questions; to be used while its gate is held."""

    def __init__(
        self, files: HiveFiles, layout: Layout, config: HiveConfig, trust: TrustList, history: History
    ) -> None:
        self._files, self._layout, self._config = files, layout, config
        self._trust, self._history = trust, history

    def look(self, envelope: Envelope, now: Instant) -> QuestionState | None:
        """What the question of an envelope has come to; None if it asks nothing."""
        question = Question.of_envelope(envelope)
        if question is None:
            return None
        found: dict[tuple[str, str], StoredAnswer] = {}
        since = envelope.ts.plus(-_CLOCK_SKEW_S)
        for domain in self._inboxes(envelope):
            for file, state in self._files_of(domain, since):
                mail = self._read(file)
                if mail is None or mail.correlation_id != question.id or mail.answer is None:
                    continue
                at = self._stored_at(domain, mail.id, file, state)
                if at is not None:
                    # The same mail may be met again where it went meanwhile.
                    found.setdefault((mail.id, mail.hash), self._answer(question, mail, mail.answer, at))
        return question.look(found.values(), self._trust.has_key, now)

    def _answer(self, question: Question, mail: Envelope, text: str, at: Instant) -> StoredAnswer:
        check = self._trust.check(mail, at, self._config.signatures_required)
        taken = self._has_taken(question, mail.from_)
        return StoredAnswer(mail.id, mail.from_, text, at, mail.hash_matches, check, taken)

    def _inboxes(self, envelope: Envelope) -> Sequence[Domain]:
        if envelope.reply_to is not None:
            return self._config.domains_of(envelope.reply_to)
        name = envelope.from_.file_name
        return [Address(f"{scheme}://{name}").inbox for scheme in ("worker", "user")]

    def _files_of(self, domain: Domain, since: Instant) -> Iterator[tuple[Path, str]]:
        # In the order in which mail moves on: what goes on meanwhile is met there.
        for folder, state in ((self._layout.inbox(domain), "waiting"), (self._layout.active(domain), "active")):
            yield from ((folder / name, state) for name in self._mail_in(folder))
        for state in _ENDS:
            days = self._layout.archives(domain) / state
            for day in self._files.list(days):
                if day >= since.day():
                    yield from ((days / day / name, state) for name in self._mail_in(days / day))

    def _mail_in(self, folder: Path) -> list[str]:
        return [name for name in self._files.list(folder) if name.endswith(".md") and not name.startswith(".")]

    def _read(self, file: Path) -> Envelope | None:
        try:
            return Envelope.parse(self._files.read(file, ENVELOPE_BYTES_MAX))
        except (OSError, ValueError):
            # It is no mail, or went on its way: then it is met there, or by a later look.
            return None

    def _stored_at(self, domain: Domain, id: EnvelopeId, file: Path, state: str) -> Instant | None:
        first = self._history.first_told(domain, id)
        if first is not None:
            return first
        status = self._files.stat(file)
        if status is None:
            return None
        # A file that expired was renamed since, which changes its ctime.
        nanos = min(status.st_ctime_ns, status.st_mtime_ns) if state == "expired" else status.st_ctime_ns
        return Instant(nanos)

    def _has_taken(self, question: Question, actor: Actor) -> bool:
        return any(
            self._history.has_claimed(domain, question.id, actor)
            for address in question.of
            if address.scheme in ("queen", "lane")
            for domain in self._config.domains_of(address)
        )
