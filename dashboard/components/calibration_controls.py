"""What is compared with what: score, label, its positive side, part of the labels, other runs."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.filters import PARTS
from core.model import JudgeKind
from core.workflows.labelled_scores import Question
from core.workflows.trust_choices import LabelChoice, ScoreChoice, TrustChoices
from dashboard import access, state
from dashboard.components import words
from dashboard.state import Address
from dashboard.theme import counted, escape_line

_SEPARATOR = "\x1f"  # names may hold everything that can be typed


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that can be answered, the run or runs it is put to, and scores to set beside.

    ``place_of_cut`` is where the row of controls has kept room for the slider of the cut.
    """

    score: ScoreChoice
    label: LabelChoice
    question: Question
    run_ids: tuple[str, ...]
    also: tuple[ScoreChoice, ...]
    place_of_cut: DeltaGenerator

    @property
    def score_name(self) -> str:
        """The score in words."""
        return score_name(self.score)


def score_name(score: ScoreChoice) -> str:
    """``groundedness · lexical-v1``; a file's scores without the word "file"."""
    metric = score.metric.replace("_", " ")
    if score.axis is not None:
        metric = words.axis(score.axis).lower()
    return metric if score.kind is JudgeKind.IMPORTED else f"{metric} · {score.model}"


def label_name(label: LabelChoice) -> str:
    """``faithful (2 raters, 140 labels)``."""
    raters = f"{len(label.raters)} raters, " if len(label.raters) > 1 else ""
    return f"{label.name} ({raters}{counted(label.n, 'label')})"


def draw(choices: TrustChoices) -> Asked | None:
    """The row of controls; None as long as a rating lacks its cut."""
    address = state.current()
    score = choices.score(address.option("score"))
    label = choices.label(address.option("label"))
    if score is None or label is None:
        return None
    unknown("score", address.option("score"), score.names, score_name(score))
    unknown("label", address.option("label"), (label.name,), label.name)
    is_rating = label.kind == "rating"
    widths = [1.15, 1.15, 0.8, 0.75, 1.3] if is_rating else [1.15, 1.15, 0.95, 1.35]
    columns = st.columns(widths, gap="medium", vertical_alignment="bottom")
    with columns[0]:
        _select("Score", "score", {one.name: score_name(one) for one in choices.scores}, score.name)
    with columns[1]:
        names = {one.name: label_name(one) for one in choices.sample_labels}
        _select("Human label", "label", names, label.name)
    cut = address.number("from")
    if is_rating:
        with columns[2]:
            _label_cut(label, cut)
    with columns[-2]:
        positive = _positive(label, address, cut)
    is_open = not is_rating or cut is not None
    if label.kind == "category":
        is_open = positive is not None
    if not is_open or positive is None:
        st.info(_missing(label), icon=":material/straighten:")
        return None
    part = _part_of(choices, label, address)
    also = [one for one in choices.scores if one.name in _listed(address, "also")]
    return Asked(
        score,
        label,
        Question(
            score=score.name,
            label=label.name,
            positive=positive,
            label_cut=cut if is_rating else None,
            part=part,
        ),
        (choices.run.run_id, *_pool(choices, address)),
        tuple(one for one in also if one.name != score.name)[:4],
        columns[-1],
    )


def unknown(kind: str, wanted: str | None, known: tuple[str, ...], shown: str) -> None:
    """A word where the address names something that the run does not have."""
    if wanted is not None and wanted not in known:
        st.warning(
            f"The address names the {kind} {escape_line(wanted)}, which this run does not have. "
            f"Shown is {escape_line(shown)}.",
            icon=":material/link_off:",
        )


def more(choices: TrustChoices, asked: Asked) -> None:
    """What else can be set beside: other scores of the run, and other runs pooled with it."""
    address = state.current()
    with st.popover("Compare and pool", icon=":material/stacked_line_chart:", type="tertiary"):
        others = {
            one.name: score_name(one) for one in choices.scores if one.name != asked.score.name
        }
        _multi(
            "Other scores on the same labels",
            "also",
            others,
            "At most four; each is tested against the score on the samples that have both.",
        )
        runs = {
            run.run_id: run.name
            for run in access.load_stored_runs()
            if run.run_id != choices.run.run_id
        }
        _multi(
            "Pool with other runs",
            "pool",
            runs,
            "Differences between the runs then leak into the figures; the page says so.",
        )
        if address.option("pool") or address.option("also"):
            st.button(
                "Only this score and run",
                key="only_this",
                on_click=state.change_options,
                kwargs={"also": None, "pool": None},
            )


def _missing(label: LabelChoice) -> str:
    if label.kind == "category":
        named = ", ".join(label.categories[:8])
        return f"{label.name} is no yes or no. Choose the answer that counts as good: {named}."
    values = ", ".join(f"{value:g}" for value in label.values[:12])
    return (
        f"{label.name} is a rating ({values}). Choose from which rating on an answer counts as "
        "good; everything below is the other side."
    )


def _select(label: str, option: str, names: dict[str, str], chosen: str) -> None:
    key = state.visit_key(f"trust_{option}")
    st.session_state[key] = chosen

    def picked() -> None:
        # Another score has another cut, another label another positive side.
        gone = {"at": None} if option == "score" else {"positive": None, "from": None, "part": None}
        state.change_options(**{option: st.session_state[key]}, **gone)

    st.selectbox(
        label, list(names), format_func=lambda name: names[name], key=key, on_change=picked
    )


def _positive(label: LabelChoice, address: Address, cut: float | None) -> str | None:
    """The positive side, None as long as it is not known."""
    if label.kind == "category":
        chosen = address.option("positive")
        options = list(label.categories)
        key = state.visit_key("trust_positive")
        st.session_state[key] = chosen if chosen in options else None

        def picked() -> None:
            state.change_options(positive=st.session_state[key])

        st.selectbox(
            "Positive answer", options, key=key, on_change=picked,
            placeholder="choose",
        )  # fmt: skip
        return chosen if chosen in options else None
    if label.kind == "rating" and cut is None:
        return None
    return _event(label, address, cut)


def _label_cut(label: LabelChoice, cut: float | None) -> None:
    key = state.visit_key("trust_from")
    st.session_state[key] = cut if cut in label.values else None

    def picked() -> None:
        state.change_options(**{"from": st.session_state[key]})

    st.selectbox(
        "Good from",
        list(label.values[1:]),
        format_func=lambda value: f"{value:g}",
        key=key,
        on_change=picked,
        placeholder="choose",
    )


def _event(label: LabelChoice, address: Address, cut: float | None) -> str:
    chosen = "0" if address.option("positive") == "0" else "1"
    names = {"1": "= 1", "0": "= 0"}
    if label.kind == "rating" and cut is not None:
        names = {"1": f"≥ {cut:g}", "0": f"< {cut:g}"}
    key = state.visit_key("trust_event")
    st.session_state[key] = chosen

    def picked() -> None:
        state.change_options(positive=st.session_state[key])

    st.segmented_control(
        "Positive",
        list(names),
        format_func=lambda side: names[side],
        key=key,
        on_change=picked,
        required=True,
        help="The side of the label that counts as found. With the other side both label and score "
        "are turned: the area stays, true positive and true negative rate change places.",
    )
    return chosen


def _part_of(choices: TrustChoices, label: LabelChoice, address: Address) -> str:
    """The part in view: all, unless the labels are split; then dev, and test only once opened."""
    if label.name not in choices.parts or address.option("pool"):
        return ""
    part = address.option("part")
    if part == "all" and label.name in choices.opened:
        return ""
    if part in PARTS and (part != "test" or label.name in choices.opened):
        return part
    return "dev"


def _listed(address: Address, option: str) -> list[str]:
    return [name for name in (address.option(option) or "").split(_SEPARATOR) if name]


def _pool(choices: TrustChoices, address: Address) -> tuple[str, ...]:
    known = {run.run_id for run in access.load_stored_runs()} - {choices.run.run_id}
    return tuple(run_id for run_id in _listed(address, "pool") if run_id in known)


def _multi(label: str, option: str, names: dict[str, str], help_text: str) -> None:
    key = state.visit_key(f"trust_{option}")
    st.session_state[key] = [n for n in _listed(state.current(), option) if n in names]

    def picked() -> None:
        state.change_options(**{option: _SEPARATOR.join(st.session_state[key])})

    st.multiselect(
        label,
        list(names),
        format_func=lambda name: names[name],
        key=key,
        on_change=picked,
        placeholder="none",
        max_selections=4 if option == "also" else None,
        help=help_text,
    )
