"""Settings of a model judge, a test of the connection, and what is to be judged."""

from collections.abc import Callable

import streamlit as st

from core.errors import RagTriageError
from core.judge.settings import LlmSettings
from core.model import Axis
from core.workflows import jobs
from core.workflows.judge_plan import all_prompts, estimate
from core.workflows.judge_request import Request
from dashboard import access, navigation, state
from dashboard.components import words
from dashboard.components.head import section
from dashboard.theme import cost, count, counted, duration, escape, escape_line

_WHICH = {"what is missing": "missing", "what failed": "failed", "everything": "all"}


def settings() -> LlmSettings | None:
    """The fields of a model; None while no model is named. Keys are never asked for."""
    section("Model", "Any provider or local server that litellm knows.")
    left, right = st.columns(2, gap="small")
    model = left.text_input(
        "Model",
        key="judge_model",
        persist_state="session",
        placeholder="such as openai/gpt-4o-mini",
    )
    api_base = right.text_input(
        "Address of an OpenAI-compatible server (optional)",
        key="judge_api_base",
        persist_state="session",
        placeholder="http://localhost:8000/v1",
    )
    st.caption(
        "Keys come from the environment of this process only, such as OPENAI_API_KEY. They are "
        "never stored, shown or exported."
    )
    with st.expander("More settings"):
        row = st.columns(4, gap="small")
        temperature = row[0].number_input(
            "Temperature",
            value=0.0,
            min_value=0.0,
            max_value=2.0,
            step=0.1,
            key="judge_temperature",
        )
        max_tokens = row[1].number_input("Longest reply, tokens", value=2048, min_value=64)
        concurrency = row[2].slider("Requests at a time", 1, 32, 8)
        max_cost = row[3].number_input("Spend at most, USD", value=None, min_value=0.0, step=0.5)
        prices = st.columns(3, gap="small")
        price_in = prices[0].number_input("USD per million tokens in", value=None, min_value=0.0)
        price_out = prices[1].number_input("USD per million tokens out", value=None, min_value=0.0)
        embedding = prices[2].text_input("Embedding model", placeholder="for scores by embeddings")
        shorten = st.checkbox(
            "Shorten contexts that do not fit the model",
            help="Otherwise such a sample gets an error.",
        )
        use_cache = st.checkbox("Use replies that were made before", value=True)
        condense = st.checkbox(
            "Put questions of conversations so that they stand alone",
            value=True,
            help="Where a sample has earlier turns, the model is first asked to rewrite its "
            "question so that it can be understood without them; the axes are then judged by "
            "that. One more request for such a sample. Both texts are kept and shown.",
        )
        names = [prompt.name for prompt in all_prompts(access.ready_store()).prompts]
        chosen = st.multiselect("Prompts instead of the shipped ones", names)
    if not model.strip():
        return None
    price = None
    if price_in is not None and price_out is not None:
        price = (float(price_in), float(price_out))
    return LlmSettings(
        model=model.strip(),
        api_base=api_base.strip() or None,
        temperature=float(temperature),
        max_tokens=int(max_tokens),
        embedding_model=embedding.strip() or None,
        shorten_contexts=shorten,
        prompts=tuple(chosen),
        concurrency=int(concurrency),
        max_cost=max_cost,
        price=price,
        use_cache=use_cache,
        condense=condense,
    )


def connection(chosen: LlmSettings | None) -> None:
    """One small request that shows whether the model can judge."""
    if st.button("Test the connection", disabled=chosen is None, key="test_connection") and chosen:
        _in_words(lambda: _keep("connection_job", jobs.start_test(access.ready_store(), chosen)))
    job_id = st.session_state.get("connection_job")
    if job_id:
        _connection_result(job_id)


def _keep(key: str, status: jobs.JobStatus) -> None:
    st.session_state[key] = status.job_id


def _in_words(work: Callable[[], None]) -> None:
    try:
        work()
    except RagTriageError as error:
        st.error(escape(str(error)), icon=":material/error:")


@st.fragment(run_every=1.0)
def _connection_result(job_id: str) -> None:
    status = jobs.read(access.ready_store(), job_id)
    if status is None:
        return
    if status.is_active:
        st.caption("Asking the model …")
        return
    result = status.result or {}
    if not result:
        st.error(escape(status.message or "The test ended without a result."))
        return
    show = st.success if result["is_ok"] else st.error
    show(escape(str(result["message"])))
    if result["is_ok"]:
        st.caption(
            escape_line(
                f"{result['model'] or 'the model'} answered in {duration(result['latency'])}, "
                f"replies as {result['format']}, cost {cost(result['cost'])}."
            )
        )


def what(chosen: LlmSettings | None) -> None:
    """What to judge; before anything is sent, what would go where and what it may cost."""
    section("What to judge")
    row = st.columns([1.6, 1.4, 1], gap="small", vertical_alignment="bottom")
    metrics = row[0].multiselect(
        "Axes", list(Axis), format_func=words.axis, placeholder="all that the run allows"
    )
    which = row[1].selectbox("Of the samples", list(_WHICH))
    repeats = row[2].number_input("Repeats", value=1, min_value=1, max_value=9)
    address = state.current()
    only_filter = st.checkbox("Only samples that pass the filter", value=bool(address.terms))
    run_id = str(address.run)
    leave_cut = _cut_texts(run_id)
    request = Request(
        metrics=tuple(axis.value for axis in metrics),
        which=_WHICH[which],
        repeats=int(repeats),
        leave_cut=leave_cut,
        sample_ids=access.load_sample_ids(run_id, address.view()) if only_filter else (),
    )
    if st.button("What would it cost?", disabled=chosen is None, key="estimate") and chosen:
        _in_words(lambda: _set_estimate(run_id, request, chosen))
    asked, found = st.session_state.get("judge_estimate", (None, None))
    # An estimate of other settings says nothing about these.
    if chosen is None or found is None or asked != (run_id, request, chosen):
        return
    with st.container(border=True, gap="small"):
        st.markdown(
            escape_line(
                f"{counted(found.samples, 'sample')} to judge, {count(found.skipped)} "
                f"{'needs' if found.skipped == 1 else 'need'} nothing. "
                f"{', '.join(found.sends).capitalize()} of each are sent to {found.destination}: "
                f"about {counted(found.requests, 'request')} and "
                f"{counted(found.tokens, 'token')}, cost {cost(found.cost)}."
            )
        )
        if st.button(
            f"Judge {counted(found.samples, 'sample')}",
            icon=":material/play_arrow:",
            disabled=not found.samples,
            key="start_judging",
        ):
            _in_words(lambda: _start(run_id, chosen, request))


def _cut_texts(run_id: str) -> bool:
    """Say that some texts were cut before the file was saved; True if they are left out."""
    n = access.load_n_cut(run_id)
    if not n:
        return True
    with st.container(border=True, gap="xsmall"):
        noun = "sample has" if n == 1 else "samples have"
        left = "It is" if n == 1 else "They are"
        st.markdown(
            f"**{count(n)} {noun} an answer or contexts that were cut** before the file was saved. "
            f"{left} left out: a verdict about a cut text may blame the system for what the file "
            "does not hold. Where it is made all the same, it says so."
        )
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            is_wanted = st.checkbox("Judge them too", key="include_cut")
            if st.button("Open them", key="open_cut", type="tertiary"):
                navigation.open_samples(
                    state.current(), "tag.truncated=answer", "tag.truncated=context"
                )
    return not is_wanted


def _set_estimate(run_id: str, request: Request, chosen: LlmSettings) -> None:
    found = estimate(access.ready_store(), run_id, request, chosen)
    st.session_state["judge_estimate"] = ((run_id, request, chosen), found)


def _start(run_id: str, chosen: LlmSettings, request: Request) -> None:
    status = jobs.start(access.ready_store(), run_id, chosen, request=request)
    st.session_state["job"] = status.job_id
    st.session_state.pop("judge_estimate", None)
    st.rerun()
