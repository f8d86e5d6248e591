"""Predicting an outcome from scores and tags: what to ask, progress, and the table of results."""

import pandas as pd
import streamlit as st

from core.errors import RagTriageError
from core.metrics.prediction import ModelScore, Prediction
from core.metrics.statistic_words import explain
from core.workflows import prediction_jobs
from core.workflows.predicting import DEFAULT, SCORES, PredictionRequest, feature_name
from core.workflows.trust_choices import LabelChoice, TrustChoices
from dashboard import access
from dashboard.theme import count, counted, escape, escape_line, number

_SHOWN_FEATURES = 8


def draw(choices: TrustChoices, label: LabelChoice) -> None:
    """The panel: options, a running prediction with its progress, the newest result."""
    store = access.ready_store()
    mine = [
        status
        for status in prediction_jobs.recent(store)
        if choices.run.run_id in status.request.run_ids
    ]
    is_moving = any(status.is_active for status in mine)
    with st.expander(
        "Predict the outcome from the scores",
        icon=":material/model_training:",
        # A prediction goes on while the page is loaded anew: there it should be seen.
        expanded=is_moving,
    ):
        request = _options(choices, label)
        if is_moving:
            _moving(choices.run.run_id)
            return
        if st.button("Train and measure", key="predict", disabled=not request.scores):
            try:
                prediction_jobs.start(store, request)
            except RagTriageError as error:
                st.error(escape(str(error)))
                return
            st.rerun()
        if mine:
            _result(mine[0])


def _options(choices: TrustChoices, label: LabelChoice) -> PredictionRequest:
    st.caption(
        "Random forest, support vectors, naive Bayes and a perceptron learn from three quarters of "
        "the questions and are measured on the rest. It says whether the scores carry what people "
        "judged, not why."
    )
    left, middle, right = st.columns([1, 1.3, 1.3], gap="medium")
    with left:
        outcomes = {one.name: one for one in choices.sample_labels}
        name = st.selectbox(
            "Outcome", list(outcomes), index=list(outcomes).index(label.name), key="predict_label"
        )
        chosen = outcomes[str(name)]
        cut = None
        if chosen.kind == "rating" and len(chosen.values) > 3:
            cut = st.selectbox(
                "Good from", list(chosen.values[1:]), key=f"predict_from_{name}",
                format_func=lambda value: f"{value:g}",
            )  # fmt: skip
    with middle:
        scores = st.multiselect(
            "From scores", list(SCORES), default=list(DEFAULT), format_func=feature_name,
            key="predict_scores",
        )  # fmt: skip
    with right:
        tags = st.multiselect("and tags", list(choices.tags), key="predict_tags")
        runs = {
            run.run_id: run.name
            for run in access.load_stored_runs()
            if run.run_id != choices.run.run_id
        }
        pooled = st.multiselect(
            "pooled with runs", list(runs), format_func=lambda run_id: runs[run_id],
            key="predict_runs", help="The same question never stands in both parts.",
        )  # fmt: skip
    return PredictionRequest(
        (choices.run.run_id, *pooled),
        chosen.name,
        label_cut=float(cut) if cut is not None else None,
        scores=tuple(scores),
        tags=tuple(tags),
    )


@st.fragment(run_every=1.0)
def _moving(run_id: str) -> None:
    store = access.ready_store()
    active = [
        status
        for status in prediction_jobs.recent(store)
        if status.is_active and run_id in status.request.run_ids
    ]
    if not active:
        st.rerun()
    status = active[0]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = f"Training: {status.step}" if status.step else "Starting …"
        st.progress(status.done / status.total if status.total else 0.0, text=escape_line(text))
        if st.button("Stop", key="stop_prediction"):
            prediction_jobs.cancel(store, status.job_id)


def _result(status: prediction_jobs.PredictionStatus) -> None:
    request = status.request
    features = ", ".join(
        [*(feature_name(name) for name in request.scores), *(f"tag {tag}" for tag in request.tags)]
    )
    pooled = f", {len(request.run_ids)} runs pooled" if len(request.run_ids) > 1 else ""
    cut = f" from {request.label_cut:g}" if request.label_cut is not None else ""
    st.markdown(f"**{escape_line(request.label)}{cut}** :gray[{escape_line(features + pooled)}]")
    if status.message:
        st.warning(escape(status.message))
    found = status.result
    if found is None:
        return
    if found.reason is not None:
        st.info(escape_line(f"Nothing was predicted: {found.reason}."))
        return
    _table(found)
    _importance(found)


def _table(found: Prediction) -> None:
    models = [found.baseline, *found.models] if found.baseline is not None else list(found.models)
    rows = []
    for model in models:
        row = {"Model": model.name}
        for one in model.classes:
            row[f"{one.name}: P"] = number(one.precision)
            row[f"{one.name}: R"] = number(one.recall)
            row[f"{one.name}: F1"] = number(one.f1)
        ends = f" ({number(model.low)}–{number(model.high)})" if model.low is not None else ""
        row["Mean F1"] = f"{number(model.f1)}{ends}"
        rows.append(row)
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        row_height=30,
        column_config={
            name: st.column_config.TextColumn(alignment="right") for name in list(rows[0])[1:]
        },
    )
    counts = ", ".join(f"{name} {count(n)}" for name, n in found.class_counts)
    st.caption(
        escape_line(
            f"Held out: {counted(found.n_test, 'sample')}, learnt from {count(found.n_train)} "
            f"({counts}). Mean over classes with its 95\u202f% interval. {' '.join(found.notes)}"
        )
    )


def _importance(found: Prediction) -> None:
    best = found.best
    if best is None:
        return
    lines = [_importance_text(best)]
    st.caption(escape_line(" ".join(lines)), help=explain("importance"))


def _importance_text(best: ModelScore) -> str:
    falls = ", ".join(
        f"{feature_name(name)} {number(mean)}"
        for name, mean, _ in best.importance[:_SHOWN_FEATURES]
        if mean > 0
    )
    return (
        f"{best.name}: mean F1 falls by this much when a feature is shuffled: {falls}."
        if falls
        else f"{best.name}: no feature makes a difference on the held-out samples."
    )
