"""Marks on single contexts that the hit rule of a run may believe where words find nothing."""

from core.errors import BadInputError
from core.metrics.hit_rule import Marks
from core.metrics.registry import METRICS
from core.model import Direction
from core.store import context_marks, queries
from core.store.connection import Connection, Store
from core.workflows import review
from core.workflows.context_usefulness import is_gain, mark_cut


def mark_choices(connection: Connection, found: review.Settings) -> tuple[Marks, ...]:
    """All marks of matched samples whose scale is known, as they are now.

    Scores of context relevance are none: they say how close a context is to the question, not that
    it holds the answer.
    """
    run_id = found.run.run_id
    sources = context_marks.mark_sources(connection, run_id)
    scales = queries.metric_scales(connection, run_id) if sources else {}
    choices = []
    for one in sources:
        if one.kind == "axis" or is_gain(one):
            continue
        cut, direction = mark_cut(found, one, scales)
        if cut is None:
            continue
        spec = METRICS.get(one.name)
        name = spec.name if spec is not None else one.name.replace("_", " ")
        who = found.models.get(one.source, one.source) if one.source else "people"
        sign = -1 if direction is Direction.LOWER else 1
        last_no = context_marks.last_mark(connection, run_id, one)
        choices.append(Marks(one.kind, one.name, one.source, cut, sign, last_no, f"{name} · {who}"))
    return tuple(choices)


def find_marks(store: Store, run_id: str, wanted: str) -> Marks:
    """Marks by their key, by their title, or by the metric or criterion alone.

    Raises:
        NotFoundError: no such run.
        BadInputError: no marks are called that, or several are.
    """
    with review.matched(store, run_id, review.View()) as (connection, found):
        choices = mark_choices(connection, found)
    exact = [one for one in choices if wanted in (one.key, one.title)]
    named = exact or [one for one in choices if one.name == wanted]
    if len(named) == 1:
        return named[0]
    known = ", ".join(one.key for one in choices) or "none"
    what = "Several marks are called" if named else "No marks on single contexts are called"
    raise BadInputError(f"{what} {wanted!r}. There are: {known}.")
