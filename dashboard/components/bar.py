"""The bar above every page that looks at a run: run, baseline, filter, cuts, judges."""

from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from core.errors import RagTriageError
from core.model import TRIAD, Axis
from core.store.queries import RunRow
from core.workflows.review import Settings, View, parse_policy
from dashboard import access, navigation, state
from dashboard.access.hits import load_hit_rule
from dashboard.components import filter_popover, judge_popover, states, verdicts, words
from dashboard.components.judge_jobs import CALLS_SHOWN
from dashboard.theme import percent

_NO_BASELINE = ""
# Pixels of a letter, of what stands around a name, and of the widest select box.
_LETTER, _AROUND_NAME, _WIDEST = 7, 58, 264
_SHORT = {
    Axis.CONTEXT_RELEVANCE: "CR",
    Axis.GROUNDEDNESS: "G",
    Axis.ANSWER_RELEVANCE: "AR",
}


def draw(page: str) -> bool:
    """Draw the bar and settle which run is looked at; False if the page has nothing to show."""
    if page in navigation.WITHOUT_RUN:
        return True
    _read_ahead(page)
    runs = access.load_stored_runs()
    if not runs:
        states.no_runs()
        return False
    known = {run.run_id: run for run in runs}
    address = state.current()
    if address.run is None:
        state.change(run=runs[0].run_id)
        address = state.current()
    is_known = address.run in known
    _run_line(known)
    if not is_known:
        states.unknown("run", str(address.run))
        return False
    if address.baseline is not None and address.baseline not in known:
        states.unknown("baseline", address.baseline)
        return False
    if address.baseline == address.run:
        states.own_baseline()
        return False
    judge = judge_popover.unknown_judge(str(address.run))
    if judge is not None:
        states.unknown("judge", judge)
        return False
    return True


def _read_ahead(page: str) -> None:
    address = state.current()
    run_id = address.run
    loads: list[Callable[[], object]] = [access.load_stored_runs, access.load_saved_filters]
    if run_id is not None:
        # Each says when it is called what is wrong with the address.
        loads += [
            lambda: access.load_filter_choices(run_id),
            lambda: access.load_settings(run_id, _unfiltered()),
            lambda: access.load_judge_options(run_id),
        ]
        if page == navigation.TRIAGE:
            loads += [
                lambda: verdicts.open_ahead(run_id, address.view(), address.sample),
                lambda: load_hit_rule(run_id),
            ]
        elif page in (navigation.OVERVIEW, ""):  # the default page has no path of its own
            loads.append(lambda: access.load_overview(run_id, address.view(), address.baseline))
        elif page == navigation.JUDGE:
            loads += [
                lambda: access.load_matrix(run_id, address.view(), None),
                lambda: access.load_n_cut(run_id),
                lambda: access.load_calls(run_id, CALLS_SHOWN),
            ]
    access.read_ahead(f"{page}?{address.query()}", loads)


def read_on(page: str) -> None:
    """With all drawn, read what is most likely asked for next: in Triage the next sample."""
    address = state.current()
    if page != navigation.TRIAGE or address.run is None:
        return
    with suppress(RagTriageError):  # whoever asks for it next is told
        found = access.load_sample(address.run, address.view(), address.sample)
        if found is not None and found.place is not None and found.place.next_id is not None:
            verdicts.open_ahead(address.run, address.view(), found.place.next_id)


def _run_line(known: dict[str, RunRow]) -> None:
    address = state.current()
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="bar"):
        _run_select("Run", "run", list(known), known, address.run, 150)
        st.markdown(":gray[vs]", width="content")
        others = [_NO_BASELINE, *(run_id for run_id in known if run_id != address.run)]
        _run_select("Baseline", "baseline", others, known, address.baseline or _NO_BASELINE, 150)
        if address.run in known:
            filter_popover.draw(access.load_filter_choices(str(address.run)))
            filter_popover.pills()
            _hit_policy()
            st.space("stretch")
            settings = access.load_settings(str(address.run), _unfiltered())
            _cuts_popover(settings)
            judge_popover.draw(settings)
            _reset()


def _unfiltered() -> View:
    address = state.current()
    return View(address.cuts, address.selection)


def _run_select(
    label: str,
    field: str,
    options: list[str],
    known: dict[str, RunRow],
    chosen: str | None,
    least: int,
) -> None:
    key = state.visit_key(f"pick_{field}")
    st.session_state[key] = chosen if chosen in options else None
    n_letters = len(known[chosen].name) if chosen in known else 0
    # As wide as the name needs, as long as the bar fits a small screen in one line.
    width = min(max(least, n_letters * _LETTER + _AROUND_NAME), _WIDEST)

    def picked() -> None:
        value = st.session_state[key] or None
        address = state.current()
        if field == "run":
            # Another run has other samples and other judges; filter and cuts are kept.
            same = address.baseline if address.baseline != value else None
            state.change(run=value, baseline=same, sample=None, selection=())
        else:
            state.change(baseline=value)

    st.selectbox(
        label,
        options,
        format_func=lambda run_id: known[run_id].name if run_id in known else "no baseline",
        key=key,
        on_change=picked,
        label_visibility="collapsed",
        placeholder="the same run" if chosen in known else "unknown",
        width=width,
    )


def _cuts_popover(settings: Settings) -> None:
    parts = []
    for axis in TRIAD:
        cut = settings.cut(axis)
        parts.append(f"{_SHORT[axis]} {'–' if cut.value is None else f'{cut.value:g}'}")
    has_cuts = any(settings.cut(axis).value is not None for axis in TRIAD)
    with st.popover(
        f"Cuts {' · '.join(parts)}" if has_cuts else "No cuts",
        icon=":material/tune:",
        type="tertiary",
        key="cuts_popover",
    ):
        for axis in TRIAD:
            st.markdown(
                words.cut_sentence(axis, settings.cut(axis), is_scored=axis in settings.choices)
            )
        verb = "Move" if has_cuts else "Set"
        st.caption(f"{verb} them on the page Failure modes; every page follows.")
        if state.current().cuts and st.button("Back to the stored cuts", key="cuts_reset"):
            state.change(cuts=())
            st.rerun()


def _hit_policy() -> None:
    """Says on every page when a hit needs more than any evidence; a click takes it back."""
    policy = parse_policy(state.current().option("hit"))
    if not policy.share:
        return
    needed = "all evidence" if policy.share == 1 else f"{percent(policy.share)} of evidence"
    if st.button(f"Hits: {needed} ✕", type="tertiary", key="hit_policy_off"):
        state.change_options(hit=None)
        st.rerun()


def _reset() -> None:
    address = state.current()
    if not (address.terms or address.cuts or address.selection or address.option("hit")):
        return
    if st.button(
        "Reset",
        icon=":material/restart_alt:",
        type="tertiary",
        key="reset_all",
        help="Back to all samples, the stored cuts, the run's own judges and any evidence.",
    ):
        state.change(terms=(), cuts=(), selection=())
        state.change_options(hit=None)
        st.rerun()
