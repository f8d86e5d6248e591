"""The bar above every page that looks at a run: run, baseline, filter, cuts, judges."""

import streamlit as st

from core.diagnosis.modes import FLAGS, MODES
from core.model import TRIAD, Axis, Flag, Mode
from core.workflows.listing import ListedRun
from core.workflows.review import FilterChoices, Settings, View
from dashboard import access, navigation, state
from dashboard.components import states, words
from dashboard.theme import count, escape_line

_NO_BASELINE = ""
_SHORT = {
    Axis.CONTEXT_RELEVANCE: "CR",
    Axis.GROUNDEDNESS: "G",
    Axis.ANSWER_RELEVANCE: "AR",
}


def draw(page: str) -> bool:
    """Draw the bar and settle which run is looked at; False if the page has nothing to show."""
    if page == navigation.RUNS:
        return True
    runs = access.load_runs()
    if not runs:
        states.no_runs()
        return False
    known = {row.run.run_id: row for row in runs}
    address = state.current()
    if address.run is None:
        state.change(run=runs[0].run.run_id)
        address = state.current()
    is_known = address.run in known
    _run_line(known)
    if not is_known:
        states.unknown("run", str(address.run))
        return False
    if address.baseline is not None and address.baseline not in known:
        states.unknown("baseline", address.baseline)
        return False
    return True


def _run_line(known: dict[str, ListedRun]) -> None:
    address = state.current()
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="bar"):
        _run_select("Run", "run", list(known), known, address.run, 240)
        st.markdown(":gray[vs]", width="content")
        others = [_NO_BASELINE, *(run_id for run_id in known if run_id != address.run)]
        _run_select("Baseline", "baseline", others, known, address.baseline or _NO_BASELINE, 200)
        if address.run in known:
            _filter_popover(access.load_filter_choices(str(address.run)))
            _filter_pills()
            st.space("stretch")
            settings = access.load_matrix(str(address.run), _unfiltered(), None).settings
            _cuts_popover(settings)
            _judge_popover(settings)


def _unfiltered() -> View:
    address = state.current()
    return View(address.cuts, address.selection)


def _run_select(
    label: str,
    field: str,
    options: list[str],
    known: dict[str, ListedRun],
    chosen: str | None,
    width: int,
) -> None:
    key = f"pick_{field}"
    st.session_state[key] = chosen if chosen in options else None

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
        format_func=lambda run_id: known[run_id].run.name if run_id in known else "no baseline",
        key=key,
        on_change=picked,
        label_visibility="collapsed",
        placeholder="unknown" if chosen not in options else "no baseline",
        width=width,
    )


def _filter_popover(choices: FilterChoices) -> None:
    address = state.current()
    with st.popover("Filter", icon=":material/filter_list:", key="filter_popover"):
        _terms_select(
            "Failure mode", "mode", {f"mode={mode.value}": MODES[mode].name for mode in Mode}
        )
        names = dict.fromkeys(name for name, _, _ in choices.tags)
        for name in list(names)[:8]:
            options = {
                f"tag.{name}={value}": f"{value} ({count(n)})"
                for tag, value, n in choices.tags
                if tag == name
            }
            _terms_select(name, f"tag.{name}", options)
        labels = {
            f"label.{criterion}={value}": f"{criterion}: {value} ({count(n)})"
            for criterion, value, n in choices.labels
        }
        if labels:
            _terms_select("Label", "label", labels)
        if choices.causes:
            causes = {
                f"cause={cause}": f"{words.cause(cause)} ({count(n)})"
                for cause, n in choices.causes
            }
            _terms_select("Score missing because", "cause", causes)
        _terms_select("Remark", "flag", {f"flag={flag.value}": FLAGS[flag].name for flag in Flag})
        text = next((t.removeprefix("text=") for t in address.terms if t.startswith("text=")), "")
        st.session_state["filter_text"] = text
        st.text_input("Text in question, answer or id", key="filter_text", on_change=_text_changed)


def _text_changed() -> None:
    text = st.session_state["filter_text"].strip()
    kept = tuple(term for term in state.current().terms if not term.startswith("text="))
    state.change(terms=(*kept, f"text={text}") if text else kept, sample=None)


def _terms_select(label: str, prefix: str, options: dict[str, str]) -> None:
    key = f"filter_{prefix}"
    terms = state.current().terms
    # A term of the address that the run does not have stays visible, so that it can be removed.
    options = {**options, **{t: t for t in terms if _has_prefix(t, prefix) and t not in options}}
    st.session_state[key] = [term for term in terms if term in options]

    def changed() -> None:
        kept = tuple(term for term in state.current().terms if term not in options)
        state.change(terms=(*kept, *st.session_state[key]), sample=None)

    st.multiselect(
        label,
        list(options),
        format_func=lambda term: options[term],
        key=key,
        on_change=changed,
        placeholder="any",
    )


def _has_prefix(term: str, prefix: str) -> bool:
    return term.startswith((f"{prefix}=", f"{prefix}."))


def _filter_pills() -> None:
    terms = state.current().terms
    if not terms:
        return
    shown = {term: f"{words.term(term)} ✕" for term in terms}
    if len(terms) > 2:
        shown = {"": f"{len(terms)} filters ✕"}
    st.session_state["filter_pills"] = list(shown)

    def changed() -> None:
        kept = set(st.session_state["filter_pills"])
        gone = [term for term in shown if term not in kept]
        remaining = () if "" in gone else tuple(term for term in terms if term not in gone)
        state.change(terms=remaining, sample=None)

    st.pills(
        "Active filters",
        list(shown),
        selection_mode="multi",
        format_func=lambda term: shown[term],
        key="filter_pills",
        on_change=changed,
        label_visibility="collapsed",
        width="content",
    )


def _cuts_popover(settings: Settings) -> None:
    parts = []
    for axis in TRIAD:
        cut = settings.cut(axis)
        parts.append(f"{_SHORT[axis]} {'–' if cut.value is None else f'{cut.value:g}'}")
    with st.popover(
        f"Cuts {' · '.join(parts)}", icon=":material/tune:", type="tertiary", key="cuts_popover"
    ):
        for axis in TRIAD:
            st.markdown(words.cut_sentence(axis, settings.cut(axis)))
        st.caption("Move them on the page Failure modes; every page follows.")
        if state.current().cuts and st.button("Back to the stored cuts", key="cuts_reset"):
            state.change(cuts=())
            st.rerun()


def _judge_popover(settings: Settings) -> None:
    models = dict.fromkeys(
        settings.models.get(settings.choices[axis].judge_id, "unknown")
        for axis in TRIAD
        if axis in settings.choices
    )
    named = ", ".join(models) or "none"
    with st.popover(
        escape_line(f"Judge {named}"), icon=":material/gavel:", type="tertiary", key="judge_popover"
    ):
        for axis in Axis:
            choice = settings.choices.get(axis)
            if choice is None:
                st.markdown(f"**{words.axis(axis)}** :gray[nobody has scored it]")
                continue
            model = escape_line(settings.models.get(choice.judge_id, "unknown"))
            proxy = " (groundedness stands in)" if choice.is_proxy else ""
            st.markdown(
                f"**{words.axis(axis)}** {escape_line(choice.metric)} by {model}{proxy} "
                f":gray[{words.judge_kind(choice.kind)}]"
            )
        if state.current().selection and st.button("Back to the run's judges", key="judge_reset"):
            state.change(selection=())
            st.rerun()
