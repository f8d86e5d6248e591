"""The question of a conversation, put so that it stands alone; asked once per sample."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.judge.asking import Asking, Complaint
from core.judge.faults import AbortedError, CallError
from core.judge.fences import Block, numbered
from core.judge.units import Unit
from core.model import Call

SHARED = "shared"
"""Setting of a request that another verdict of the same sample has made already."""

_KEPT = 5_000  # samples; one that comes back later is answered from the store


@dataclass(frozen=True, slots=True)
class _Condensed:
    """The question, None with its error; and the requests that were made for it."""

    question: str | None
    error: CallError | None
    calls: tuple[Call, ...]
    addressed: tuple[str, ...]


class Condenser:
    """The standalone questions of a job. Whoever needs one first asks; the others wait for it."""

    def __init__(self) -> None:
        self._asked: dict[int, asyncio.Task[_Condensed]] = {}

    async def apply(self, unit: Unit, asking: Asking) -> Unit:
        """The unit with the standalone question; its requests are noted beside the others.

        They are charged to the unit that came first: the others have them as answered from what is
        known already.

        Raises:
            CallError: there is no such question; AbortedError if the job has ended.
        """
        position = unit.sample.position
        task = self._asked.get(position)
        is_first = task is None
        if task is None:
            task = asyncio.ensure_future(_condense(unit, asking))
            self._asked[position] = task
            if len(self._asked) > _KEPT:
                del self._asked[next(iter(self._asked))]
        found = await asyncio.shield(task)
        asking.calls += found.calls if is_first else map(_known, found.calls)
        asking.addressed += [one for one in found.addressed if one not in asking.addressed]
        if found.error is not None:
            raise found.error
        asking.condensed = found.question
        return replace(unit, sample=replace(unit.sample, question=found.question or ""))


async def _condense(unit: Unit, asking: Asking) -> _Condensed:
    assert unit.condense is not None
    # One wording for all repeats: they are to differ by the judge alone.
    mine = Asking(asking.model, asking.known, 0, missed=asking.missed)
    history = Block("history", numbered(unit.sample.history))
    question = Block("question", unit.sample.question)
    try:
        reply = await mine.ask(unit.condense, [history, question], check=_not_blank)
    except AbortedError as error:
        return _Condensed(None, error, tuple(mine.calls), tuple(mine.addressed))
    except CallError as error:
        told = CallError(
            error.kind,
            f"The question could not be put without its history. {error.message}",
            reply=error.reply,
            is_fatal=error.is_fatal,
        )
        return _Condensed(None, told, tuple(mine.calls), tuple(mine.addressed))
    return _Condensed(reply["question"].strip(), None, tuple(mine.calls), tuple(mine.addressed))


def _not_blank(reply: Mapping[str, Any]) -> Complaint | None:
    return None if reply["question"].strip() else Complaint("The question is empty.")


def _known(call: Call) -> Call:
    return replace(
        call,
        is_cached=True,
        cost=0.0,
        latency=None,
        tokens_in=None,
        tokens_out=None,
        settings={**call.settings, SHARED: True},
    )
