"""What pages read, cached: keyed by store, run, data version and parameters, never by frames."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from core.diagnosis.summary import Summary
from core.filters import SampleFilter
from core.metrics.agreement import Weights
from core.metrics.operating import Band, roc_band
from core.store import calls
from core.store.connection import Store
from core.store.queries import RunRow
from core.store.saved_filters import saved_filters
from core.workflows import (
    agreeing,
    calibrating,
    context_use,
    deriving,
    judge_table,
    labelled_scores,
    listing,
    overview,
    retrieving,
    review,
    trust_choices,
)
from core.workflows.labelled_scores import Paired, Question
from core.workflows.setup import ensure_store, store_path
from core.workflows.targets import Target

Parameters = ParamSpec("Parameters")
Figure = TypeVar("Figure")
Stamp = tuple[tuple[int, int], ...]
_VIEW: dict[str | type[Any], Callable[[Any], Any]] = {review.View: repr}


@st.cache_resource(show_spinner="Opening the store …")
def _ready_store(path: str) -> tuple[Store, tuple[str, ...]]:
    store, done = ensure_store(store_path(), demo_when_new=True)
    return store, tuple(done.messages)


def ready_store() -> Store:
    """The store of this process: created, migrated and, if new, filled with the demo."""
    return _ready_store(str(store_path().resolve()))[0]


def store_messages() -> tuple[str, ...]:
    """What had to be said when the store was opened."""
    return _ready_store(str(store_path().resolve()))[1]


@st.cache_resource(show_spinner=False)
def _listed(path: str) -> list[listing.ListedRun]:
    return []


@st.cache_data(max_entries=4, show_spinner=False)
def _run_list(path: str, stamp: Stamp) -> list[listing.ListedRun]:
    earlier = _listed(path)
    found = listing.run_list(Store(path), tuple(earlier))
    earlier[:] = found
    return found


def load_runs() -> list[listing.ListedRun]:
    """All runs with their diagnosis, the newest import first; what has changed is read again."""
    store = ready_store()
    return _run_list(str(store.path), store.stamp())


@st.cache_data(max_entries=4, show_spinner=False)
def _stored_runs(path: str, stamp: Stamp) -> list[RunRow]:
    return listing.stored_runs(Store(path))


def load_stored_runs() -> list[RunRow]:
    """All runs without their diagnosis, the newest import first."""
    store = ready_store()
    return _stored_runs(str(store.path), store.stamp())


def data_version(run_id: str) -> int:
    """Version of a run's data, 0 if there is no such run."""
    return next((run.data_version for run in load_stored_runs() if run.run_id == run_id), 0)


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_VIEW)
def _settings(path: str, run_id: str, version: int, view: review.View) -> review.Settings:
    with Store(path).reading() as connection:
        return review.settings(connection, run_id, view)


def load_settings(run_id: str, view: review.View) -> review.Settings:
    """Whose verdicts count in a run and under which cuts; the view's filter does not matter."""
    return _settings(str(ready_store().path), run_id, data_version(run_id), view)


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_VIEW)
def _matrix(
    path: str,
    run_id: str,
    version: int,
    view: review.View,
    baseline_id: str | None,
    baseline_version: int,
) -> review.Matrix:
    return review.matrix(Store(path), run_id, view, baseline_id)


def load_matrix(run_id: str, view: review.View, baseline_id: str | None) -> review.Matrix:
    """All figures of the failure-mode page."""
    return _matrix(
        str(ready_store().path),
        run_id,
        data_version(run_id),
        view,
        baseline_id,
        data_version(baseline_id) if baseline_id else 0,
    )


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_VIEW)
def _overview(
    path: str,
    run_id: str,
    version: int,
    view: review.View,
    baseline_id: str | None,
    baseline_version: int,
) -> overview.Overview:
    return overview.overview(Store(path), run_id, view, baseline_id)


def load_overview(run_id: str, view: review.View, baseline_id: str | None) -> overview.Overview:
    """Everything that the overview of a run says."""
    return _overview(
        str(ready_store().path),
        run_id,
        data_version(run_id),
        view,
        baseline_id,
        data_version(baseline_id) if baseline_id else 0,
    )


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_VIEW)
def _tag_slices(
    path: str, run_id: str, version: int, view: review.View, tag: str
) -> list[tuple[str, Summary]]:
    return review.tag_slices(Store(path), run_id, view, tag)


def load_tag_slices(run_id: str, view: review.View, tag: str) -> list[tuple[str, Summary]]:
    """Diagnosis by the values of one tag."""
    return _tag_slices(str(ready_store().path), run_id, data_version(run_id), view, tag)


@st.cache_data(max_entries=32, show_spinner=False)
def _n_underived(path: str, run_id: str, version: int) -> int:
    return deriving.n_underived(Store(path), run_id)


def load_n_underived(run_id: str) -> int:
    """Samples of a run whose hits have not been worked out yet."""
    return _n_underived(str(ready_store().path), run_id, data_version(run_id))


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=_VIEW)
def _context_use(
    path: str,
    run_id: str,
    version: int,
    view: review.View,
    baseline_id: str | None,
    baseline_version: int,
) -> context_use.ContextUseView:
    return context_use.context_use(Store(path), run_id, view, baseline_id)


def load_context_use(
    run_id: str, view: review.View, baseline_id: str | None
) -> context_use.ContextUseView:
    """All figures of the page Context use."""
    return _context_use(
        str(ready_store().path),
        run_id,
        data_version(run_id),
        view,
        baseline_id,
        data_version(baseline_id) if baseline_id else 0,
    )


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=_VIEW)
def _retrieval(
    path: str,
    run_id: str,
    version: int,
    view: review.View,
    baseline_id: str | None,
    baseline_version: int,
) -> retrieving.Retrieval:
    return retrieving.retrieval(Store(path), run_id, view, None, baseline_id)


def load_retrieval(run_id: str, view: review.View, baseline_id: str | None) -> retrieving.Retrieval:
    """All figures of the page Retrieval."""
    return _retrieval(
        str(ready_store().path),
        run_id,
        data_version(run_id),
        view,
        baseline_id,
        data_version(baseline_id) if baseline_id else 0,
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _filter_choices(path: str, run_id: str, version: int) -> review.FilterChoices:
    return review.filter_choices(Store(path), run_id)


def load_filter_choices(run_id: str) -> review.FilterChoices:
    """Tags, labels and causes that a run can be filtered by."""
    return _filter_choices(str(ready_store().path), run_id, data_version(run_id))


@st.cache_data(max_entries=8, show_spinner=False)
def _calls(
    path: str, run_id: str, version: int, limit: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with Store(path).reading() as connection:
        return calls.call_counts(connection, run_id), calls.call_log(
            connection, run_id, limit=limit
        )


def load_calls(run_id: str, limit: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What requests about a run came to, and the newest of them without their texts."""
    return _calls(str(ready_store().path), run_id, data_version(run_id), limit)


@st.cache_data(max_entries=16, show_spinner=False)
def _calls_of(path: str, run_id: str, version: int, verdict_no: int) -> list[dict[str, Any]]:
    with Store(path).reading() as connection:
        return calls.calls_of(connection, run_id, verdict_no)


def load_calls_of(run_id: str, verdict_no: int) -> list[dict[str, Any]]:
    """The requests behind one verdict with all their texts."""
    return _calls_of(str(ready_store().path), run_id, data_version(run_id), verdict_no)


@st.cache_data(max_entries=8, show_spinner=False, hash_funcs=_VIEW)
def _sample_ids(path: str, run_id: str, version: int, view: review.View) -> tuple[str, ...]:
    return review.sample_ids(Store(path), run_id, view)


def load_sample_ids(run_id: str, view: review.View) -> tuple[str, ...]:
    """Ids of the samples that pass the filter of a view."""
    return _sample_ids(str(ready_store().path), run_id, data_version(run_id), view)


@st.cache_data(max_entries=16, show_spinner=False)
def _judge_options(path: str, run_id: str, version: int) -> tuple[review.JudgeOption, ...]:
    return review.judge_options(Store(path), run_id)


def load_judge_options(run_id: str) -> tuple[review.JudgeOption, ...]:
    """Whose verdicts can feed each axis of a run."""
    return _judge_options(str(ready_store().path), run_id, data_version(run_id))


@st.cache_data(max_entries=2, show_spinner=False)
def _saved_filters(path: str, stamp: Stamp) -> dict[str, SampleFilter]:
    with Store(path).reading() as connection:
        return saved_filters(connection)


def load_saved_filters() -> dict[str, SampleFilter]:
    """Filters that were given a name."""
    store = ready_store()
    return _saved_filters(str(store.path), store.stamp())


@st.cache_data(max_entries=8, show_spinner=False, hash_funcs=_VIEW)
def _queue(path: str, run_id: str, version: int, view: review.View) -> review.Queue:
    return review.queue(Store(path), run_id, view)


@st.cache_data(max_entries=128, show_spinner=False, hash_funcs=_VIEW)
def _sample(
    path: str, run_id: str, version: int, view: review.View, sample_id: str | None
) -> review.SampleView | None:
    waiting = _queue(path, run_id, version, view)
    return review.sample_view(Store(path), run_id, view, sample_id, waiting)


def load_sample(run_id: str, view: review.View, sample_id: str | None) -> review.SampleView | None:
    """One sample with its place among those that match, or the first of them."""
    return _sample(str(ready_store().path), run_id, data_version(run_id), view, sample_id)


@st.cache_data(max_entries=16, show_spinner=False, hash_funcs=_VIEW)
def _sample_alone(
    path: str, run_id: str, version: int, view: review.View, sample_id: str
) -> review.SampleView:
    return review.sample_alone(Store(path), run_id, view, sample_id)


def load_sample_alone(run_id: str, view: review.View, sample_id: str) -> review.SampleView:
    """One sample under a view, wherever it stands in it."""
    return _sample_alone(str(ready_store().path), run_id, data_version(run_id), view, sample_id)


# --- Calibration and Agreement --------------------------------------------------------------------

_TRUST: dict[str | type[Any], Callable[[Any], Any]] = {review.View: repr, Question: repr}
RunIds = tuple[str, ...]


def _versions(run_ids: RunIds) -> tuple[int, ...]:
    return tuple(data_version(run_id) for run_id in run_ids)


@st.cache_data(max_entries=16, show_spinner=False, hash_funcs=_VIEW)
def _trust_choices(
    path: str, run_id: str, version: int, view: review.View
) -> trust_choices.TrustChoices:
    return trust_choices.trust_choices(Store(path), run_id, view)


def load_trust_choices(run_id: str, view: review.View) -> trust_choices.TrustChoices:
    """Scores, labels, splits and tags of a run; only the view's judge selection matters."""
    selected = review.View(selection=view.selection)
    return _trust_choices(str(ready_store().path), run_id, data_version(run_id), selected)


# Few: at a million samples the pairs of one question take 40 MB, a ranking 25.
@st.cache_data(max_entries=3, show_spinner=False, hash_funcs=_TRUST)
def _pairs(
    path: str, run_ids: RunIds, versions: tuple[int, ...], question: Question, view: review.View
) -> Paired:
    return labelled_scores.read(Store(path), run_ids, question, view)


def load_pairs(run_ids: RunIds, question: Question, view: review.View) -> Paired:
    """Scores and labels of the samples that pass the filter."""
    return _pairs(str(ready_store().path), run_ids, _versions(run_ids), question, view)


@st.cache_data(max_entries=6, show_spinner=False, hash_funcs=_TRUST)
def _ranking(
    path: str, run_ids: RunIds, versions: tuple[int, ...], question: Question, view: review.View
) -> tuple[calibrating.Ranking, Band]:
    paired = _pairs(path, run_ids, versions, question, view)
    band = roc_band(paired.scores, paired.labels, paired.rule, paired.repeated)
    return calibrating.rank(paired), band


def load_ranking(
    run_ids: RunIds, question: Question, view: review.View
) -> tuple[calibrating.Ranking, Band]:
    """Area, curve, suggestions and correlations, and the band around the curve."""
    return _ranking(str(ready_store().path), run_ids, _versions(run_ids), question, view)


@st.cache_data(max_entries=8, show_spinner=False, hash_funcs=_TRUST)
def _judge_table(
    path: str, run_id: str, version: int, question: Question, view: review.View
) -> tuple[Target, tuple[judge_table.JudgeRow, ...]]:
    return judge_table.judge_table(Store(path), run_id, question, view)


def load_judge_table(
    run_id: str, question: Question, view: review.View
) -> tuple[Target, tuple[judge_table.JudgeRow, ...]]:
    """Every judge of a run against a label."""
    return _judge_table(str(ready_store().path), run_id, data_version(run_id), question, view)


@st.cache_data(max_entries=16, show_spinner=False, hash_funcs=_VIEW)
def _agreement(
    path: str,
    run_id: str,
    version: int,
    criterion: str,
    weights: Weights,
    scale: str | None,
    view: review.View,
    tag: str | None,
    score: str | None,
) -> agreeing.AgreementReport:
    return agreeing.agree(
        Store(path),
        run_id,
        criterion,
        weights=weights,
        scale=scale,
        view=view,
        tag=tag,
        score=score,
    )


def load_agreement(
    run_id: str,
    criterion: str,
    weights: Weights,
    scale: str | None,
    view: review.View,
    tag: str | None,
    score: str | None,
) -> agreeing.AgreementReport:
    """How far raters agree on a criterion, and a judge with them."""
    return _agreement(
        str(ready_store().path),
        run_id,
        data_version(run_id),
        criterion,
        weights,
        scale,
        view,
        tag,
        score,
    )


@st.cache_resource(max_entries=256, show_spinner=False)
def _figure(arguments: str, _draw: Callable[[], Figure]) -> Figure:
    return _draw()


def figure(
    draw: Callable[Parameters, Figure], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Figure:
    """The figure that a function draws from these values, kept for the next equal ones.

    Drawing one takes up to 0.1 s. All that charts draw from says everything in its repr.
    """
    arguments = f"{draw.__module__}.{draw.__qualname__} {args!r} {kwargs!r}"
    return _figure(arguments, lambda: draw(*args, **kwargs))
