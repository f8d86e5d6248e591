"""The page Judge and Triage's re-judge with a model on loopback, driven without a browser."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.workflows import jobs, rejudging
from core.workflows.diagnosing import diagnose
from core.workflows.judging import Request
from core.workflows.review import View

APP = Path(__file__).parents[2] / "dashboard" / "app.py"
SAMPLE = {
    "question": "How far does the lamp shine?",
    "answer": "It shines 40 m.",
    "contexts": [{"doc_id": "lamp", "text": "The lamp shines 40 m far.", "rank": 1}],
    "scores": {
        "context_relevance_rubric": 1,
        "groundedness_rubric": 1,
        "answer_relevance_rubric": 1,
    },
}
AXES = ("context_relevance", "groundedness", "answer_relevance")


@pytest.fixture
def opened(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Factory ``opened(page, run_id)``: a session of the dashboard on the store of the bench."""
    monkeypatch.setenv("RAGTRIAGE_STORE", str(bench.store.path))

    def start(page: str, run_id: str) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=60).run()
        app.query_params["run"] = run_id
        app.switch_page(f"views/{page}.py").run()
        app._page_hash = ""
        return app

    return start


def text_of(app: AppTest) -> str:
    kinds = ("title", "markdown", "caption", "error", "warning", "success")
    shown = "\n".join(str(one.value) for kind in kinds for one in app.get(kind))
    shown += "\n".join(one.value for one in app.text)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown).replace("\u2060", "")


def button(app: AppTest, label: str) -> Any:
    (found,) = [one for one in app.button if one.label.startswith(label)]
    return found


def name_model(app: AppTest, address: str) -> None:
    app.text_input(key="judge_model").set_value("openai/fake")
    app.text_input(key="judge_api_base").set_value(address).run()


def run_until(app: AppTest, words: str) -> str:
    end = time.monotonic() + 90
    while words not in (text := text_of(app.run())):
        assert time.monotonic() < end, f"{words!r} never showed in: {text}"
        time.sleep(0.2)
    return text


def test_connection_is_tested_and_a_run_judged_from_the_page(bench: Any, opened: Any) -> None:
    run_id = bench.add("from the page", [SAMPLE, {**SAMPLE, "question": "How bright is it?"}])
    app = opened("judge", run_id)
    assert button(app, "Test the connection").disabled
    name_model(app, bench.server.address)

    button(app, "Test the connection").click().run()
    run_until(app, "The model answers with a usable verdict.")
    button(app, "What would it cost?").click().run()
    assert "2 samples to judge, 0 need nothing." in text_of(app)
    assert bench.server.address.split("/")[2] in text_of(app)
    button(app, "Judge 2 samples").click().run()
    text = run_until(app, "openai/fake · done · 2 of 2 samples, 0 failed")

    assert [one.value for one in app.exception] == []
    verdicts = [one for one in bench.verdicts(run_id) if one["status"] == "value"]
    assert {one["sample_id"] for one in verdicts} == {"s000", "s001"}
    n_requests = sum(row[0] for row in bench.rows(
        "select count(*) from call where run_id = ?", run_id
    ))  # fmt: skip
    assert f"{n_requests} requests, 0 failed" in text
    assert "sk-canary" not in text


def test_estimate_goes_when_the_settings_change(bench: Any, opened: Any) -> None:
    run_id = bench.add("estimated", [SAMPLE])
    app = opened("judge", run_id)
    name_model(app, bench.server.address)
    button(app, "What would it cost?").click().run()
    assert "1 sample to judge" in text_of(app)

    app.text_input(key="judge_model").set_value("openai/other").run()

    assert "to judge, " not in text_of(app)
    assert [one.label for one in app.button if one.label.startswith("Judge ")] == []


def test_rejudge_by_a_model_appends_and_counts_only_once_it_is_chosen(
    bench: Any, opened: Any
) -> None:
    # The same texts, so that the replies are known already; and the model is the last one used.
    other = bench.add("first opinion", [SAMPLE])
    assert bench.judge(other, Request(AXES)).state == "done"
    run_id = bench.add("second opinion", [SAMPLE, {**SAMPLE, "question": "Is it bright?"}])
    n_calls = bench.server.stats()["requests"]
    assert rejudging.last_model(bench.store) == bench.settings()
    before = diagnose(bench.store, run_id, View())["triad"]
    app = opened("triage", run_id)

    app.session_state["model_s000"] = True
    app.run()
    assert "Question, contexts, answer of this sample are sent to openai/fake" in text_of(app)
    button(app, "Send and judge").click().run()
    text = run_until(app, "Re-judged by openai/fake")

    assert [one.value for one in app.exception] == []
    # One context, three axes: the reply that was stored before is not used again.
    assert bench.server.stats()["requests"] - n_calls == 3
    for name in ("Context relevance", "Groundedness", "Answer relevance"):
        assert re.search(rf"{name}: 1 of 5 → \*\*[1-5] of 5\*\*", text)
    assert diagnose(bench.store, run_id, View())["triad"] == before

    app.button(key="use_rejudged").click().run()

    axes = diagnose(bench.store, run_id, View())["axes"]
    assert {axes[axis]["judge"] for axis in AXES} == {"openai/fake"}
    text = text_of(app)
    assert "These verdicts count: openai/fake is the judge of this run." in text
    assert "Sent as system" in text
    assert "Raw reply" in text


def test_rejudge_without_a_model_leads_to_where_one_is_named(
    bench: Any, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.add("nobody", [SAMPLE])
    monkeypatch.setattr(jobs, "recent", lambda *_, **__: [])
    app = opened("triage", run_id)

    app.session_state["model_s000"] = True
    app.run()

    assert "No model has been named yet." in text_of(app)
    assert button(app, "Name a model on the page Judge")


def test_prompt_reply_and_parsed_verdict_stand_behind_every_score(bench: Any, opened: Any) -> None:
    run_id = bench.add("every score", [{**SAMPLE, "question": "Behind every score?"}])
    metrics = ("refusal", "adherence", "faithfulness", "faithfulness_contradiction")
    job = bench.judge(run_id, Request(metrics))
    assert job.state == "done"

    app = opened("triage", run_id)
    text = text_of(app)

    assert "**Refusal** · refusal" in text
    assert "**Adherence** · adherence" in text
    assert "openai/fake · prompt refusal@1 (" in text
    assert "temperature 0.0" in text
    assert '"refusal": "none"' in text  # the raw reply
    assert "**Groundedness** · faithfulness" in text
    # A score that feeds no axis here, since another one does.
    labels = [one.label.replace("\\", "").replace("\u2060", "") for one in app.expander]
    assert "Other score: faithfulness_contradiction by openai/fake" in labels
    assert text.count("Parsed as") == 4
    assert [one.value for one in app.exception] == []
