"""Whether two runs were judged alike; if not, differences between them say little."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.diagnosis.vocabulary import AXES
from core.model import TRIAD, Axis
from core.workflows.review import Settings


@dataclass(frozen=True, slots=True)
class Discord:
    """The first axis on which two runs were judged differently, in a few words and in a sentence.

    ``short`` has room on a card; both may quote names of the store, so they are untrusted text.
    """

    axis: Axis
    short: str
    sentence: str


def judged_differently(
    mine: Settings, theirs: Settings, axes: Sequence[Axis] = TRIAD
) -> Discord | None:
    """The first of ``axes`` with another metric, judge or cut in the baseline; None if all agree.

    An axis that nobody has scored in one of the runs is passed over.
    """
    for axis in axes:
        here, there = mine.choices.get(axis), theirs.choices.get(axis)
        if here is None or there is None:
            continue
        name = AXES[axis].name
        if (here.metric, here.judge_id) != (there.metric, there.judge_id):
            model = mine.models.get(here.judge_id, "unknown")
            other = theirs.models.get(there.judge_id, "unknown")
            return Discord(
                axis,
                f"The baseline used another judge ({other}).",
                f"{name} is {here.metric} by {model} here and {there.metric} by {other} in the "
                "baseline, so differences say little.",
            )
        if mine.cut(axis).value != theirs.cut(axis).value:
            return Discord(
                axis,
                "The baseline used another cut.",
                f"The cut of {name.lower()} differs from the baseline's.",
            )
    return None


def mixed_judges(found: Settings) -> str | None:
    """Says which judge scored which axis of the triad where it was not one; None if it was.

    Within an axis there is never more than one: each set of verdicts counts as a whole or not.
    """
    named: dict[str, list[str]] = {}
    for axis in TRIAD:
        choice = found.choices.get(axis)
        if choice is not None:
            model = found.models.get(choice.judge_id, "unknown")
            named.setdefault(model, []).append(AXES[axis].name.lower())
    if len(named) < 2:
        return None
    return "; ".join(f"{' and '.join(axes)} by {model}" for model, axes in named.items())
