"""Options of ``calibrate`` and ``agree`` as the workflows take them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import cast, get_args

from core.errors import BadInputError
from core.metrics.agreement import Weights
from core.model import Direction
from core.store import parts
from core.store.connection import Store
from core.workflows.labelled_scores import Question


@dataclass(frozen=True, slots=True)
class Parts:
    """What is asked for about the split of a label into train, dev and test."""

    part: str = ""
    split: bool = False
    seed: int = 0
    open_test: bool = False

    def prepare(self, store: Store, run_ids: Iterable[str], label: str) -> None:
        """Split the labels and open the test part, as far as that is asked for.

        Raises:
            NotFoundError: no such run.
            BadInputError: there is no such label, or it is split otherwise already.
        """
        if not (self.split or self.open_test):
            return
        with store.writing() as connection:
            for run_id in run_ids:
                if self.split:
                    parts.deal(connection, run_id, label, self.seed)
                if self.open_test:
                    parts.open_test(connection, run_id, label)


def questions(
    scores: Sequence[str],
    label: str,
    *,
    positive: str | None,
    label_cut: float | None,
    direction: str | None,
    part: str,
    target_tpr: float,
    cuts: tuple[tuple[str, float], ...],
) -> list[Question]:
    """One question per score.

    Raises:
        BadInputError: a direction that is none, or a cut for a score that is not asked about.
    """
    if direction is not None and direction not in set(Direction):
        raise BadInputError(f"--direction {direction!r} must be higher or lower.")
    return [
        Question(
            score=score,
            label=label,
            positive=positive,
            label_cut=label_cut,
            direction=Direction(direction) if direction is not None else None,
            part=part,
            target_tpr=target_tpr,
            cuts=cuts,
        )
        for score in dict.fromkeys(scores)
    ]


def parse_cuts(pairs: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Cuts from ``score=cut`` texts, by the name of an axis or metric.

    Raises:
        BadInputError: not of that form.
    """
    found = []
    for pair in pairs:
        name, _, text = pair.rpartition("=")
        found.append((name.strip(), _number(text, f"--set {pair!r} must look like bleu=0.3.")))
        if not name:
            raise BadInputError(f"--set {pair!r} must look like bleu=0.3.")
    return tuple(found)


def parse_weights(text: str) -> Weights:
    """Weights of partial agreement by name.

    Raises:
        BadInputError: no such weights.
    """
    for weights in get_args(Weights):
        if text == weights:
            return cast(Weights, weights)
    raise BadInputError(f"There are no weights {text!r}; known: {', '.join(get_args(Weights))}.")


def without_criterion(scale: str | None, tag: str | None, score: str | None) -> None:
    """Check that nothing is asked for that belongs to one criterion.

    Raises:
        BadInputError: a scale, a tag or a score was named.
    """
    named = [
        option
        for option, value in (("--scale", scale), ("--by", tag), ("--score", score))
        if value is not None
    ]
    if named:
        raise BadInputError(f"{named[0]} belongs to one criterion: name it with --criterion.")


def parse_costs(text: str | None) -> tuple[float, float] | None:
    """What a miss and a false alarm cost, from ``5:1``.

    Raises:
        BadInputError: not of that form, or a cost below zero.
    """
    if text is None:
        return None
    message = f"--cost {text!r} must look like 5:1, a miss before a false alarm."
    miss, _, false_alarm = text.partition(":")
    costs = _number(miss, message), _number(false_alarm, message)
    if min(costs) < 0:
        raise BadInputError(message)
    return costs


def _number(text: str, message: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise BadInputError(message) from None
    if not isfinite(number):
        raise BadInputError(message)
    return number
