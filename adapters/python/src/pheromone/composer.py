"""What an actor writes, wherever the hive is: mail, answers to work, questions and answers to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from pheromone.claim import Claim, reply_fields, reply_to
from pheromone.envelope import Envelope
from pheromone.instant import Instant
from pheromone.question import answer_fields, ask_fields, topic_of
from pheromone.values import Actor, Address


class Composer(ABC):
    """Writes envelopes in the name of ``actor``; they are to be sent then."""

    actor: Actor

    @abstractmethod
    def write(self, *, to: str | Iterable[str], topic: str, body: str | bytes = b"", **more: Any) -> Envelope:
        """A new envelope from this actor."""

    @abstractmethod
    def _address_of(self, actor: Actor) -> Address:
        """Where mail for an actor goes."""

    @property
    def address(self) -> Address:
        """Where answers to this actor go: to a worker, unless a person of that name has an inbox."""
        return self._address_of(self.actor)

    def reply(self, claim: Claim, body: str | bytes, **more: Any) -> Envelope:
        """The one answer that work on a claim makes, to be sent before it is acknowledged.

        Its id depends on nothing but the copy, so that work done again after a crash can't answer twice.
        """
        request = claim.envelope
        to = more["to"] if "to" in more else request.reply_to or self._address_of(request.from_)
        return self.write(body=body, **{**reply_fields(claim, body, more), "to": to})

    def ask(
        self,
        to: str | Iterable[str],
        question: str,
        *,
        choices: Iterable[str] = (),
        free: bool = False,
        default: str | None = None,
        deadline_s: int | None = None,
        default_permits: bool = False,
        **more: Any,
    ) -> Envelope:
        """A question from this actor, to be sent; without ``choices`` any text is an answer.

        ``default`` holds if nobody answers within ``deadline_s``. Any default but ``no`` may permit something, and
        needs ``default_permits``. Raises ``ValueError`` for a question that nobody could answer.
        """
        fields = ask_fields(choices, free, default, deadline_s, default_permits, Instant.now())
        return self.write(to=to, body=question, **{"topic": topic_of(question), **fields, **more})

    def answer(self, question: Envelope, body: str | bytes, **more: Any) -> Envelope:
        """The answer to a question, to be sent: the first line of ``body`` is one of its choices, in any case.

        Raises ``ValueError`` if it is none.
        """
        fields = answer_fields(question, body, reply_to(question, body, more))
        to = more["to"] if "to" in more else question.reply_to or self._address_of(question.from_)
        return self.write(body=body, **{**fields, "to": to})
