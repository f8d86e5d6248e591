"""What agreement is computed of: criterion, scale, weights, the judge and the tag to compare by."""

from dataclasses import dataclass
from typing import cast, get_args

import streamlit as st

from core.metrics.agreement import Weights
from core.workflows.trust_choices import LabelChoice, TrustChoices
from dashboard import state
from dashboard.components.calibration_controls import score_name, unknown
from dashboard.theme import counted

_WEIGHTS = {
    "identity": "only equal ratings agree (AC1)",
    "linear": "partial credit by distance (AC2, linear)",
    "quadratic": "partial credit by squared distance (AC2, quadratic)",
    "ordinal": "partial credit by rank (AC2, ordinal)",
}
_NONE = ""


@dataclass(frozen=True, slots=True)
class AskedAgreement:
    """A criterion of the run and what to compare it with."""

    criterion: LabelChoice
    weights: Weights
    scale: str | None
    tag: str | None
    score: str | None
    score_name: str | None


def draw(choices: TrustChoices) -> AskedAgreement:
    """The row of controls, for a run with labels."""
    address = state.current()
    criterion = choices.criterion(address.option("criterion"))
    if criterion is None:
        raise ValueError("a run without labels has nothing to choose from")
    unknown("criterion", address.option("criterion"), (criterion.name,), criterion.name)
    columns = st.columns([1.5, 0.7, 1.3, 1.1, 0.8], gap="small", vertical_alignment="bottom")
    with columns[0]:
        names = {one.name: _name(one) for one in choices.labels}
        _pick("Criterion", "criterion", names, criterion.name)
    with columns[1]:
        scale = _scale(address.option("scale"))
    with columns[2]:
        weights = _known_weights(address.option("w"))
        _pick("Credit for near ratings", "w", _WEIGHTS, weights)
    scores = {one.name: score_name(one) for one in choices.scores} or {_NONE: "no scores yet"}
    found = choices.score(address.option("score"))
    score = found.name if found is not None else _NONE
    with columns[3]:
        _pick("Judge to compare", "score", scores, score)
    tags = {_NONE: "none", **{tag: tag for tag in choices.tags}}
    tag = address.slice_by if address.slice_by in tags else _NONE
    with columns[4]:
        _pick_tag(tags, str(tag))
    return AskedAgreement(
        criterion,
        weights,
        scale,
        tag or None,
        score or None,
        scores[score] if score else None,
    )


def _name(one: LabelChoice) -> str:
    raters = f"{len(one.raters)} raters" if len(one.raters) != 1 else "1 rater"
    what = "contexts of " if one.of_contexts else ""
    return f"{one.name} ({raters}, {what}{counted(one.n, 'sample')})"


def _known_weights(text: str | None) -> Weights:
    return cast(Weights, text) if text in get_args(Weights) else "identity"


def _pick(label: str, option: str, names: dict[str, str], chosen: str) -> None:
    key = state.visit_key(f"agree_{option}")
    st.session_state[key] = chosen

    def picked() -> None:
        # Another criterion has another scale.
        gone = {"scale": None} if option == "criterion" else {}
        state.change_options(**{option: st.session_state[key]}, **gone)

    st.selectbox(
        label, list(names), format_func=lambda name: names[name], key=key, on_change=picked
    )


def _pick_tag(tags: dict[str, str], chosen: str) -> None:
    key = state.visit_key("agree_by")
    st.session_state[key] = chosen

    def picked() -> None:
        state.change(slice_by=st.session_state[key] or None)

    st.selectbox(
        "Compare by", list(tags), format_func=lambda tag: tags[tag], key=key,
        on_change=picked,
    )  # fmt: skip


def _scale(text: str | None) -> str | None:
    key = state.visit_key("agree_scale")
    st.session_state[key] = text or ""

    def typed() -> None:
        state.change_options(scale=st.session_state[key].strip())

    st.text_input(
        "Scale",
        key=key,
        on_change=typed,
        placeholder="1..5",
        help="All categories that a rater could choose, also those that nobody chose: 1..5, "
        "1..4/0.5 or poor,fair,good. Left empty for 0/1 and for a scale that the file declares.",
    )
    return text
