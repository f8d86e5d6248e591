"""The filter: what can be chosen, what is on, and filters that were given a name."""

import math

import streamlit as st

from core.diagnosis.modes import FLAGS, MODES
from core.errors import RagTriageError
from core.filters import escape_name, split_term
from core.model import TRIAD, Flag, Mode
from core.ranges import read_range
from core.store.saved_filters import forget_filter, save_filter
from core.workflows.view_choices import FilterChoices
from dashboard import access, state
from dashboard.components import words
from dashboard.theme import count, escape, escape_line

_TAGS_SHOWN = 8
_NO_RANGE = ""
_AMOUNTS = {"latency": "Latency of the answer, in seconds", "cost": "Cost of the answer, in USD"}
_EVIDENCE = {
    "hit=hit": "a hit: enough of it",
    "hit=miss": "no hit",
    "hit=undefined": "not known, or no gold evidence",
    "evidence.rank=1": "some at the first rank",
    "evidence.contexts=0": "by no context",
    "evidence.contexts=1": "by a single context",
    "evidence.contexts=2..": "by several contexts",
}


def draw(choices: FilterChoices) -> None:
    """The popover with everything that samples can be filtered by."""
    address = state.current()
    with st.popover("Filter", icon=":material/filter_list:", key="filter_popover"):
        _terms_select(
            "Failure mode", ("mode", ""), {f"mode={mode.value}": MODES[mode].name for mode in Mode}
        )
        names = dict.fromkeys(name for name, _, _ in choices.tags)
        for name in list(names)[:_TAGS_SHOWN]:
            options = {
                f"tag.{escape_name(name)}={value}": f"{value} ({count(n)})"
                for tag, value, n in choices.tags
                if tag == name
            }
            _terms_select(name, ("tag", name), options)
        labels = {
            f"label.{escape_name(criterion)}={value}": f"{criterion}: {value} ({count(n)})"
            for criterion, value, n in choices.labels
        }
        if labels:
            _terms_select("Label", ("label", None), labels)
        if choices.causes:
            causes = {
                f"cause={cause}": f"{words.cause(cause)} ({count(n)})"
                for cause, n in choices.causes
            }
            _terms_select("Score missing because", ("cause", ""), causes)
        _terms_select(
            "Remark", ("flag", ""), {f"flag={flag.value}": FLAGS[flag].name for flag in Flag}
        )
        _evidence()
        _range(choices)
        text = next((t.removeprefix("text=") for t in address.terms if t.startswith("text=")), "")
        key = state.visit_key("filter_text")
        st.session_state[key] = text
        st.text_input(
            "Text in question, answer or id", key=key, on_change=_text_changed, args=(key,)
        )
        _saved()


def _text_changed(key: str) -> None:
    text = st.session_state[key].strip()
    kept = tuple(term for term in state.current().terms if not term.startswith("text="))
    state.change(terms=(*kept, f"text={text}") if text else kept, sample=None)


def _terms_select(label: str, about: tuple[str, str | None], options: dict[str, str]) -> None:
    """Choose among the terms of one kind and name; a name of None stands for every name."""
    key = state.visit_key("filter_" + ".".join(filter(None, about)))
    terms = state.current().terms
    # A term of the address that the run does not have stays visible, so that it can be removed.
    options = {
        **options,
        **{t: words.term(t) for t in terms if _is_about(t, about) and t not in options},
    }
    st.session_state[key] = [term for term in terms if term in options]

    def changed() -> None:
        kept = tuple(term for term in state.current().terms if term not in options)
        state.change(terms=(*kept, *st.session_state[key]), sample=None)

    st.multiselect(
        escape_line(label),
        list(options),
        format_func=lambda term: options[term],
        key=key,
        on_change=changed,
        placeholder="any",
    )


def _is_about(term: str, about: tuple[str, str | None]) -> bool:
    kind, name, _ = split_term(term)
    return kind == about[0] and about[1] in (None, name)


def _evidence() -> None:
    """At most one choice of what was retrieved; other terms about evidence stay as they are."""
    terms = state.current().terms
    key = state.visit_key("filter_evidence")
    st.session_state[key] = next((term for term in terms if term in _EVIDENCE), None)

    def changed() -> None:
        kept = tuple(term for term in state.current().terms if term not in _EVIDENCE)
        chosen = st.session_state[key]
        state.change(terms=(*kept, chosen) if chosen else kept, sample=None)

    st.selectbox(
        "Evidence retrieved",
        list(_EVIDENCE),
        format_func=lambda term: _EVIDENCE[term],
        key=key,
        on_change=changed,
        placeholder="any",
    )


def _range(choices: FilterChoices) -> None:
    """At most one range, of a triad score in its own scale or of what the answer took."""
    options = {_NO_RANGE: "any"}
    options |= {f"score.{axis.value}": words.axis(axis) for axis in TRIAD}
    options |= {name: _AMOUNTS[name] for name in choices.amounts}
    terms = [(term, *term.partition("=")[::2]) for term in state.current().terms]
    # A term of the address that the run does not offer stays visible, so that it can be removed.
    options |= {about: _AMOUNTS[about] for _, about, _ in terms if about in _AMOUNTS}
    mine = [term for term, about, _ in terms if about in options]
    chosen, low, high = _NO_RANGE, None, None
    if mine:
        chosen, _, value = mine[0].partition("=")
        low, high = read_range(mine[0], value)
    key, low_key, high_key = map(state.visit_key, ("filter_axis", "filter_low", "filter_high"))
    st.session_state[key] = chosen

    def changed() -> None:
        kept = tuple(t for t in state.current().terms if t.partition("=")[0] not in options)
        about = st.session_state[key]
        new: tuple[str, ...] = ()
        if about != _NO_RANGE:
            ends = [st.session_state.get(key) for key in (low_key, high_key)]
            low_text, high_text = ("" if end is None else repr(float(end)) for end in ends)
            new = (f"{about}={low_text}..{high_text}",)
        state.change(terms=(*kept, *new), sample=None)

    st.selectbox(
        "Score, latency or cost from … to" if choices.amounts else "Score from … to",
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=changed,
    )
    if chosen != _NO_RANGE:
        for one, end in ((low_key, low), (high_key, high)):
            st.session_state[one] = end if end is not None and math.isfinite(end) else None
        with st.container(horizontal=True, gap="xsmall"):
            st.number_input("From", value=None, key=low_key, on_change=changed, step=0.1)
            st.number_input("To", value=None, key=high_key, on_change=changed, step=0.1)


def _saved() -> None:
    saved = access.load_saved_filters()
    wanted = state.current().wanted()
    name_now = next((name for name, found in saved.items() if found == wanted), None)
    key = state.visit_key("saved_filter")
    st.session_state[key] = name_now

    def picked() -> None:
        name = st.session_state[key]
        state.change(terms=tuple(saved[name].terms()) if name else (), sample=None)

    if saved:
        st.selectbox(
            "Saved filters",
            list(saved),
            key=key,
            on_change=picked,
            placeholder="none of them",
        )
    if name_now is not None:
        st.button("Forget this filter", key="forget_filter", on_click=_forget, args=(name_now,))
    elif not wanted.is_empty:
        st.text_input("Save this filter as", key="filter_name", on_change=_save)
    trouble = st.session_state.pop("filter_trouble", None)
    if trouble:
        st.error(escape(trouble))


def _save() -> None:
    try:
        with access.ready_store().writing() as connection:
            save_filter(connection, st.session_state["filter_name"], state.current().wanted())
        st.session_state["filter_name"] = ""
    except RagTriageError as error:
        st.session_state["filter_trouble"] = str(error)


def _forget(name: str) -> None:
    try:
        with access.ready_store().writing() as connection:
            forget_filter(connection, name)
    except RagTriageError as error:
        st.session_state["filter_trouble"] = str(error)


def pills() -> None:
    """The filters that are on; taking one away removes it."""
    terms = state.current().terms
    if not terms:
        return
    shown = {term: f"{words.short_term(term)} ✕" for term in terms}
    if len(terms) > 2:
        shown = {"": f"{len(terms)} filters ✕"}
    key = state.visit_key("filter_pills")
    st.session_state[key] = list(shown)

    def changed() -> None:
        gone = set(shown) - set(st.session_state[key])
        is_all = "" in gone
        kept = () if is_all else tuple(t for t in state.current().terms if t not in gone)
        state.change(terms=kept, sample=None)

    st.pills(
        "Active filters",
        list(shown),
        selection_mode="multi",
        format_func=lambda term: escape_line(shown[term]),
        key=key,
        on_change=changed,
        label_visibility="collapsed",
        width="content",
    )
