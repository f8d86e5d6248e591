"""One score of the answers in detail: its values, how it follows the length, by slice."""

import streamlit as st

from core.filters import escape_name
from core.judge.overlap import COMPARISONS
from core.metrics.registry import METRICS
from core.model import Direction
from core.workflows.answers import CORRECT, JUDGE, MIN_GROUPED, Answers, LengthGroup, ScoreView
from core.workflows.view_choices import READABLE
from dashboard import access, navigation, state
from dashboard.access import answers
from dashboard.charts.histogram import score_histogram
from dashboard.charts.interval_rows import IntervalRow, interval_rows
from dashboard.components import tag_select
from dashboard.components.answer_panels import ends, is_share, mean
from dashboard.components.head import current_theme, section
from dashboard.theme import LEAST_N, count, counted, escape_line, number

_SLICES = READABLE
_LOW = 0.3


def draw(run_id: str, found: Answers) -> None:
    """The score that was chosen: values, length, slices."""
    names = [CORRECT] if found.accuracy_answered.n else []
    names += [one.metric for one in found.scores if one.mean.n]
    if not names:
        return
    with st.container(border=True):
        chosen = _choice(names)
        view = answers.load_score_view(run_id, state.current().view(), chosen)
        left, right = st.columns(2, gap="medium")
        with left:
            _values(view)
            _slices(run_id, chosen)
        with right:
            _length(view)


def _choice(names: list[str]) -> str:
    asked = (state.current().option("score") or "").partition("@")[0]
    chosen = asked if asked in names else names[0]
    key = state.visit_key("answer_score")
    st.session_state[key] = chosen

    def picked() -> None:
        name = st.session_state[key]
        state.change_options(score=None if name == CORRECT else f"{name}@{JUDGE}")

    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        section("One score in detail", "Its values, whether it follows the length, and by slice.")
        st.selectbox(
            "Score", names, key=key, on_change=picked, format_func=_name, width=260,
            label_visibility="collapsed",
        )  # fmt: skip
    return str(chosen)


def _name(name: str) -> str:
    return "Correct" if name == CORRECT else METRICS[name].name


def _values(view: ScoreView) -> None:
    rate = view.mean
    text = f"**{escape_line(_name(view.name))}** {mean(view.name, rate)}"
    if rate.n >= LEAST_N or not is_share(view.name):
        text += f" :gray[({ends(view.name, rate)}), n {count(rate.n)}]"
    st.markdown(text)
    if view.name not in COMPARISONS or METRICS[view.name].cut_rule.value == "binary":
        return
    figure = access.figure(
        score_histogram, view.histogram, cut=None, lo=0.0, hi=1.0, direction=Direction.HIGHER,
        theme=current_theme(),
    )  # fmt: skip
    st.altair_chart(figure, theme=None, key="answer_histogram")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("0 to 1 in 20 steps", width="stretch")
        if st.button(
            f"Samples below {number(_LOW)}", icon=":material/arrow_forward:",
            icon_position="right", key="open_low",
        ):  # fmt: skip
            term = f"metric.{view.name}@{JUDGE}=..<{_LOW:g}"
            navigation.open_samples(state.current(), term)


def _length(view: ScoreView) -> None:
    st.markdown(
        "**By length of the answer** :gray[· five groups of about equal size]",
        help="A score that falls with the length may only say that long answers have more words.",
    )
    if not view.groups:
        st.caption(
            f"Too few values to group by length: {count(view.mean.n)}, at least {MIN_GROUPED} are "
            "needed."
        )
        return
    rows = [IntervalRow(_words(group), group.mean, is_share(view.name)) for group in view.groups]
    figure = access.figure(
        interval_rows, rows, lo=0.0, hi=1.0, title=f"mean of {_name(view.name).lower()}",
        theme=current_theme(),
    )  # fmt: skip
    st.altair_chart(figure, theme=None, key="answer_lengths")
    st.caption(_correlation(view))
    with st.container(horizontal=True, gap="small"):
        for group, label in ((view.groups[0], "Shortest"), (view.groups[-1], "Longest")):
            if st.button(
                f"{label}: {counted(group.mean.n, 'sample')}", icon=":material/arrow_forward:",
                icon_position="right", key=f"open_{label.lower()}",
            ):  # fmt: skip
                term = f"metric.answer_words@{JUDGE}={group.shortest}..{group.longest}"
                navigation.open_samples(state.current(), term, *_with_value(view.name))


def _with_value(name: str) -> tuple[str, ...]:
    """Filter terms of the samples that a mean of this score counts."""
    if name == CORRECT:
        return "outcome=correct", "outcome=incorrect"
    return (f"state.{name}@{JUDGE}=value",)


def _words(group: LengthGroup) -> str:
    if group.shortest == group.longest:
        return f"{count(group.shortest)} {'word' if group.shortest == 1 else 'words'}"
    return f"{count(group.shortest)}–{count(group.longest)} words"


def _correlation(view: ScoreView) -> str:
    found = view.correlation
    if found is None or found.value is None:
        return f"Length and score: {escape_line(found.reason or '')}." if found else ""
    text = f"Spearman's correlation with the length {number(found.value)}"
    if found.low is None or found.high is None:
        return f"{text}, n {count(found.n)}."
    says = ""
    if found.low > 0:
        says = " Longer answers score higher."
    elif found.high < 0:
        says = " Longer answers score lower."
    else:
        says = " No clear effect of the length."
    return f"{text} ({number(found.low)} to {number(found.high)}), n {count(found.n)}.{says}"


def _slices(run_id: str, chosen: str) -> None:
    tag = tag_select.choose(run_id, "By tag")
    if tag is None:
        return
    address = state.current()
    found = answers.load_score_slices(run_id, address.view(), chosen, tag)
    if not found:
        st.caption("No sample in view has this tag and this score.")
        return
    shown = found[:_SLICES]
    rows = [IntervalRow(value, rate, is_share(chosen)) for value, rate in shown]
    figure = access.figure(
        interval_rows, rows, lo=0.0, hi=1.0, title=f"mean of {_name(chosen).lower()}",
        theme=current_theme(),
    )  # fmt: skip
    st.altair_chart(figure, theme=None, key="answer_slices")
    hidden = len(found) - len(shown)
    verb = "value is" if hidden == 1 else "values are"
    remarks = [f"{count(hidden)} smaller {verb} not shown."] if hidden else []
    if len(shown) > 3:
        remarks.append(
            f"{len(shown)} slices are compared: expect one of twenty to stand out by chance."
        )
    if remarks:
        st.caption(" ".join(remarks))
    values = [value for value, _ in shown]
    opened = st.selectbox(
        "Open the samples of", values, index=None, key=state.visit_key("open_slice"),
        placeholder="Open the samples of …", width=220, label_visibility="collapsed",
    )  # fmt: skip
    if opened is not None:
        term = f"tag.{escape_name(tag)}={opened}"
        navigation.open_samples(address, term, *_with_value(chosen))
