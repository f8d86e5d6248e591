"""From a figure of the page Retrieval to the samples that it counts."""

from collections.abc import Callable, Sequence

from core.ranges import range_from
from dashboard import navigation, state
from dashboard.charts.base import BASELINE

Terms = tuple[str, ...]
_SHARED_FROM = 0.8

#: Samples with gold evidence and known contexts: those that a mean is over.
COUNTED: Terms = ("evidence.contexts=0..",)


def with_count(text: str) -> Terms:
    """Samples of which so many contexts hold evidence."""
    return (f"evidence.contexts={text}",)


def with_both(text: str) -> Terms:
    """Samples whose contexts at two ranks, "1,2", hold evidence."""
    return tuple(f"evidence.rank={rank}" for rank in text.split(","))


def with_near_duplicates(text: str) -> Terms:
    """Samples whose contexts at two ranks, "1,2", are near-duplicates."""
    return (f"same_words.{text.replace(',', '+')}={range_from(_SHARED_FROM)}",)


def with_some_near_duplicates() -> Terms:
    """Samples with two contexts that are near-duplicates."""
    return (f"same_words.any={range_from(_SHARED_FROM)}",)


def hit_within(text: str) -> Terms:
    """Samples with a hit within the first k contexts."""
    return (f"evidence.hit_depth=..{text}",)


def hit_at(text: str) -> Terms:
    """Samples whose context at this very rank holds evidence."""
    return (f"evidence.rank={text}",)


def missed_at(k: int) -> Terms:
    """Samples without a hit within the first k contexts."""
    return (f"evidence.hit_depth={k + 1}..",)


def of_cell(column: str, k: int) -> Terms:
    """Samples that a cell of the table by depth and rank counts; () for none."""
    found: dict[str, Terms] = {
        "k": missed_at(k),
        "Hit@k": hit_within(str(k)),
        "All of it": ("evidence.pieces=2..", f"evidence.full_depth=..{k}"),
        "Hit here": hit_at(str(k)),
        "Only here": (f"evidence.rank={k}", "evidence.contexts=1"),
        "Useful, if there": hit_at(str(k)),
    }
    return found.get(column, COUNTED)


def open_picked(picked: Sequence[dict[str, object]], terms_of: Callable[[str], Terms]) -> None:
    """Leave for the samples behind the mark of a chart that was clicked, if one was."""
    chosen = str(picked[0].get("id", "")) if picked else ""
    if chosen:
        terms = terms_of(chosen.removeprefix(BASELINE))
        open_terms(terms, is_baseline=chosen.startswith(BASELINE))


def open_terms(terms: Terms, *, is_baseline: bool) -> None:
    """Leave for the samples that pass these terms too, of this run or of its baseline."""
    follow = navigation.open_baseline_samples if is_baseline else navigation.open_samples
    follow(state.current(), *terms)
