"""Every way in which a judge model can fail has its status and its kind, and none is silent."""

from typing import Any

import pytest

from core.workflows.judging import Request

# Fault, status, value or kind of error, requests that are recorded (a repair makes two).
ANSWER_RELEVANCE: list[tuple[str, str, Any, int]] = [
    ("none", "value", 4.0, 1),
    ("rate_limit_once", "value", 4.0, 1),
    ("rate_limit_after", "value", 4.0, 1),
    ("rate_limit_ms", "value", 4.0, 1),
    ("rate_limit", "error", "rate_limit", 1),
    ("rate_limit_long", "error", "rate_limit", 1),
    ("bad_request", "error", "provider_error", 1),
    ("not_found", "error", "provider_error", 1),
    ("server_error_once", "value", 4.0, 1),
    ("server_error", "error", "provider_error", 1),
    ("overloaded", "error", "provider_error", 1),
    ("html", "error", "provider_error", 1),
    ("html_200", "error", "provider_error", 1),
    ("not_json", "error", "provider_error", 1),
    ("json_list", "error", "provider_error", 1),
    ("dropped_once", "value", 4.0, 1),
    ("dropped", "error", "provider_error", 1),
    ("cut_body", "error", "provider_error", 1),
    ("hang", "error", "timeout", 1),
    ("drip", "error", "timeout", 1),
    ("context_length", "error", "context_length", 1),
    ("content_policy", "error", "judge_refused", 1),
    ("no_schema", "value", 4.0, 1),
    ("no_json_schema", "value", 4.0, 1),
    ("no_temperature", "value", 4.0, 1),
    ("echoed_key", "error", "provider_error", 1),
    ("key_in_reply", "value", 4.0, 1),
    ("no_choices", "error", "empty", 1),
    ("empty", "error", "empty", 1),
    ("null", "error", "empty", 1),
    ("blank", "error", "empty", 1),
    ("tool_call", "error", "empty", 1),
    ("empty_length", "error", "output_truncated", 1),
    ("cut_json", "error", "output_truncated", 1),
    ("length_but_whole", "error", "output_truncated", 1),
    ("content_filter", "error", "judge_refused", 1),
    ("refusal_field", "error", "judge_refused", 1),
    ("declined", "error", "judge_refused", 1),
    ("fenced", "value", 4.0, 1),
    ("prose", "value", 4.0, 1),
    ("fenced_prose", "value", 4.0, 1),
    ("no_json", "error", "invalid_json", 2),
    ("planted", "error", "invalid_json", 2),
    ("repaired", "value", 4.0, 2),
    ("two_fences", "error", "invalid_json", 2),
    ("array", "error", "invalid_json", 2),
    ("quoted", "error", "invalid_json", 2),
    ("unclosed", "error", "invalid_json", 2),
    ("nan", "error", "invalid_json", 2),
    ("infinity", "error", "invalid_json", 2),
    ("twice_a_key", "error", "invalid_json", 2),
    ("comma_score", "error", "invalid_json", 2),
    ("control", "value", 4.0, 1),
    ("nul", "value", 4.0, 1),
    ("whole_float", "value", 4.0, 1),
    ("scale_100", "error", "schema", 2),
    ("scale_0", "error", "schema", 2),
    ("scale_unit", "error", "schema", 2),
    ("negative", "error", "schema", 2),
    ("text_score", "error", "schema", 2),
    ("word_score", "error", "schema", 2),
    ("bool_score", "error", "schema", 2),
    ("null_score", "error", "schema", 2),
    ("list_score", "error", "schema", 2),
    ("number_reasoning", "error", "schema", 2),
    ("no_score", "error", "schema", 2),
    ("extra_key", "error", "schema", 2),
    ("empty_object", "error", "schema", 2),
]
# Where the answer is what chooses the fault, because groundedness is not shown the question.
SUPPORT: list[tuple[str, str, str, Any, list[str]]] = [
    ("none", "groundedness_rubric", "value", 5.0, []),
    ("two_with_claims", "groundedness_rubric", "value", 2.0, []),
    ("five_with_claims", "groundedness_rubric", "value", 5.0, ["inconsistent_verdicts"]),
    ("two_without_claims", "groundedness_rubric", "value", 2.0, ["inconsistent_verdicts"]),
    ("none", "faithfulness", "value", 1.0, []),
    ("missing_verdict", "faithfulness", "error", "schema", []),
    ("extra_verdict", "faithfulness", "error", "schema", []),
    ("double_verdict", "faithfulness", "error", "schema", []),
    ("unknown_context", "faithfulness", "error", "schema", []),
    # Two sentences that inform: Y = 2 of N = 2; then 1 of 2 with one verdict missing; then one
    # verdict too many (Y + U = 3 > 2), which makes it 0.
    ("none", "conversational_faithfulness", "value", 1.0, []),
    ("missing_verdict", "conversational_faithfulness", "value", 0.5, ["incomplete_verdicts"]),
    ("extra_verdict", "conversational_faithfulness", "value", 0.0, ["inconsistent_verdicts"]),
]
SUPPORT_FAULTS = list(dict.fromkeys(row[0] for row in SUPPORT))


def _word(fault: str, at: int) -> str:
    return "" if fault == "none" else f"fault:{fault}-{at}"


@pytest.fixture(scope="module")
def relevance(bench_store: Any) -> dict[str, dict[str, Any]]:
    """One job over a sample for each fault; its verdicts by fault."""
    bench_store.server.reset()
    rows = [
        {"question": f"What colour? {_word(fault, at)}", "answer": "Red."}
        for at, (fault, *_) in enumerate(ANSWER_RELEVANCE)
    ]
    run_id = bench_store.add("faults", rows)
    settings = bench_store.settings(timeout=1.5, concurrency=32)
    status = bench_store.judge(run_id, Request(("answer_relevance",)), settings)
    n_failed = sum(row[1] == "error" for row in ANSWER_RELEVANCE)
    assert (status.state, status.failed) == ("done", n_failed)
    assert status.done == len(rows) - n_failed
    verdicts = bench_store.verdicts(run_id)
    assert len(verdicts) == len(rows)
    ordered = sorted(verdicts, key=lambda verdict: str(verdict["sample_id"]))
    return {row[0]: found for row, found in zip(ANSWER_RELEVANCE, ordered, strict=True)}


@pytest.mark.parametrize(
    ("fault", "status", "outcome", "n_calls"),
    ANSWER_RELEVANCE,
    ids=[row[0] for row in ANSWER_RELEVANCE],
)
def test_fault_has_its_status_and_kind(
    relevance: dict[str, dict[str, Any]], fault: str, status: str, outcome: Any, n_calls: int
) -> None:
    found = relevance[fault]
    if status == "value":
        assert (found["status"], found["value"], found["cause"]) == ("value", outcome, None)
    else:
        assert (found["status"], found["cause"], found["value"]) == ("error", outcome, None)
        assert found["reasoning"]
    assert found["n_calls"] == n_calls


def test_error_keeps_the_reply_that_could_not_be_used(
    relevance: dict[str, dict[str, Any]],
) -> None:
    assert '"score": 85' in relevance["scale_100"]["raw"]
    assert "85" in relevance["scale_100"]["reasoning"]
    assert relevance["no_json"]["raw"] == "The score is 4 out of 5."


def test_key_that_a_server_sends_back_is_blanked_out(relevance: dict[str, dict[str, Any]]) -> None:
    assert "[key removed]" in relevance["echoed_key"]["reasoning"]
    assert "[key removed]" in relevance["key_in_reply"]["reasoning"]


def test_provider_is_waited_for_as_it_asks(
    relevance: dict[str, dict[str, Any]], bench_store: Any
) -> None:
    assert relevance["rate_limit_after"]["status"] == "value"
    at = [row[0] for row in ANSWER_RELEVANCE].index("rate_limit_after")
    first, second = bench_store.server.stats()["times"][f"fault:rate_limit_after-{at}"]
    assert second - first >= 1.0  # Retry-After: 1


def test_transient_faults_are_tried_three_times_and_others_once(
    relevance: dict[str, dict[str, Any]], bench_store: Any
) -> None:
    assert relevance
    seen = bench_store.server.stats()["faults"]

    def tries(fault: str) -> int:
        at = [row[0] for row in ANSWER_RELEVANCE].index(fault)
        return int(seen[f"fault:{fault}-{at}"])

    assert {tries(f) for f in ("rate_limit", "server_error", "dropped", "hang")} == {3}
    # A wait of a day is no wait; a cut reply would be cut again.
    assert {tries(f) for f in ("rate_limit_long", "not_found", "cut_json", "empty")} == {1}


@pytest.fixture(scope="module")
def support(bench_store: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Verdicts about what the contexts carry, by fault and metric."""
    rows = [
        {
            "answer": "It is red. It is fast.",
            "contexts": [{"text": f"A red car. {_word(fault, at)}", "rank": 1, "doc_id": "a"}],
        }
        for at, fault in enumerate(SUPPORT_FAULTS)
    ]
    run_id = bench_store.add("support", rows)
    metrics = ("groundedness", "faithfulness", "conversational_faithfulness")
    status = bench_store.judge(run_id, Request(metrics))
    assert status.state == "done"
    return {
        (SUPPORT_FAULTS[int(str(one["sample_id"])[1:])], one["metric"]): one
        for one in bench_store.verdicts(run_id)
    }


@pytest.mark.parametrize(("fault", "metric", "status", "outcome", "flags"), SUPPORT)
def test_contradictions_are_flagged_and_miscounts_refused(
    support: dict[tuple[str, str], dict[str, Any]],
    fault: str,
    metric: str,
    status: str,
    outcome: Any,
    flags: list[str],
) -> None:
    found = support[fault, metric]
    assert found["status"] == status
    assert (found["value"] if status == "value" else found["cause"]) == outcome
    assert found["detail"].get("flags", []) == flags
