"""Conversations: the question is put so that it stands alone, once, before a model judges it."""

import json
from typing import Any

import pytest

from core.model import Axis
from core.resources import resource
from core.workflows.judge_plan import estimate
from core.workflows.judging import Request, judge_run

ALONE = "How far does the lamp of the bicycle shine?"
TALK = {
    "question": "And how far does it shine?",
    "answer": "It shines 43 m.",
    "reference": "43 m",
    "contexts": [
        {"doc_id": "lamp", "text": "The lamp shines 43 m far.", "rank": 1},
        {"doc_id": "bell", "text": "The bell is loud.", "rank": 2},
    ],
    "history": ["user: Has the bicycle a lamp?", "agent: Yes, it has one."],
}
SINGLE = {**TALK, "question": "How far does the lamp shine?", "history": []}
ALL = Request(tuple(Axis))
# What a sample with two contexts takes: two of relevance, one for each of the other five axes.
AXIS_REQUESTS = 7


def calls(bench: Any, run_id: str) -> list[dict[str, Any]]:
    names = ("metric", "step", "prompt", "reply", "is_cached", "cost", "error_kind")
    rows = bench.rows(
        "select metric, step, prompt, reply, is_cached, call.cost, error_kind from call join "
        "verdict using (run_id, verdict_no) where run_id = ? order by verdict_no, n",
        run_id,
    )
    return [dict(zip(names, row, strict=True)) for row in rows]


def sent(call: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in json.loads(call["prompt"]))


def test_question_is_put_anew_once_and_both_texts_are_kept(bench: Any) -> None:
    run_id = bench.add("talk", [TALK, SINGLE])
    settings = bench.settings(price=(1.0, 1.0))
    before = estimate(bench.store, run_id, ALL, settings)

    job = bench.judge(run_id, ALL, settings)

    assert (job.state, job.done, job.failed) == ("done", 2, 0)
    # Two samples of seven requests, and one more for the one that has a history.
    assert before.requests == job.calls == bench.server.stats()["requests"] == 2 * AXIS_REQUESTS + 1
    assert before.sends[0] == "history"
    found = {(v["sample_id"], v["metric"]): v["detail"] for v in bench.verdicts(run_id)}
    shown = {metric for (sample, metric), detail in found.items() if "condensed_question" in detail}
    # Groundedness is about answer and contexts alone.
    assert shown == {metric for _, metric in found} - {"groundedness_rubric"}
    assert {d.get("condensed_question") for (s, _), d in found.items() if s == "s001"} == {None}
    assert found["s000", "refusal"]["condensed_question"] == ALONE
    ((question,),) = bench.rows(
        "select question from sample where run_id = ? and sample_id = 's000'", run_id
    )
    assert question == TALK["question"]

    made = calls(bench, run_id)
    put_anew = [call for call in made if call["step"].startswith("condense")]
    assert sorted(call["is_cached"] for call in put_anew) == [False] + 4 * [True]
    # 1,000 tokens in and 100 out at 1 USD a million; whoever only waited for it is not charged.
    assert sorted(call["cost"] for call in put_anew) == 4 * [0.0] + [pytest.approx(0.0011)]
    assert all("Has the bicycle a lamp?" in sent(call) for call in put_anew)
    others = [call for call in made if not call["step"].startswith("condense")]
    assert not any("Has the bicycle a lamp?" in sent(call) for call in others)
    assert not any(TALK["question"] in sent(call) for call in others)
    assert sum(ALONE in sent(call) for call in others) == AXIS_REQUESTS - 1


def test_what_was_put_anew_is_known_the_next_time_and_for_every_repeat(bench: Any) -> None:
    run_id = bench.add("talk again", [{**TALK, "history": ["user: Is the lamp bright?"]}])
    metrics = ("answer_relevance", "refusal")

    job = bench.judge(run_id, Request(metrics, repeats=3))
    assert job.calls == 1 + 3 * len(metrics)
    again = bench.judge(run_id, Request(metrics, which="all", repeats=3))

    assert (again.calls, again.failed) == (0, 0)
    assert {v["detail"]["condensed_question"] for v in bench.verdicts(run_id)} == {ALONE}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("no_json", "invalid_json"), ("no_question", "schema"), ("overloaded", "provider_error")],
)
def test_failure_is_an_error_of_each_axis_that_shows_the_question(
    bench: Any, fault: str, kind: str
) -> None:
    talk = {**TALK, "history": [f"user: fault:{fault}-talk"]}
    run_id = bench.add(f"talk {fault}", [talk])

    job = bench.judge(run_id, ALL)

    assert (job.state, job.done, job.failed) == ("done", 0, 1)
    verdicts = {v["metric"]: v for v in bench.verdicts(run_id)}
    kept = verdicts.pop("groundedness_rubric")
    assert kept["status"] == "value"
    assert {v["cause"] for v in verdicts.values()} == {kind}
    assert all("without its history" in v["reasoning"] for v in verdicts.values())
    # Nobody was asked about a question that was never put.
    steps = {call["step"] for call in calls(bench, run_id)}
    assert steps == {"condense@1", "groundedness@1"}


def test_it_can_be_left_out_and_is_then_another_judge(bench: Any) -> None:
    run_id = bench.add("talk as it is", [TALK])
    metrics = ("answer_relevance",)
    bench.judge(run_id, Request(metrics))

    plain = bench.settings(condense=False)
    assert estimate(bench.store, run_id, Request(metrics), plain).requests == 1
    job = bench.judge(run_id, Request(metrics), plain)

    assert (job.calls, job.done) == (1, 1)
    last = calls(bench, run_id)[-1]
    assert TALK["question"] in sent(last)
    params = [
        json.loads(found)
        for (found,) in bench.rows(
            "select params from verdict join judge using (judge_id) where run_id = ? and "
            "kind = 'llm' order by verdict_no",
            run_id,
        )
    ]
    assert params[0]["condense"].startswith("condense@1 ")
    assert len(params[0]["condense"].split()[1]) == 64
    assert "condense" not in params[1]


def test_own_wording_is_used_under_its_own_hash(bench: Any) -> None:
    folder = bench.store.path.parent / "prompts"
    folder.mkdir(exist_ok=True)
    text = resource("prompts").joinpath("condense.v1.md").read_text(encoding="utf-8")
    (folder / "alone.v1.md").write_text(
        text.replace('id = "condense"', 'id = "alone"', 1), encoding="utf-8"
    )
    run_id = bench.add("talk in own words", [TALK])

    job = bench.judge(run_id, Request(("refusal",)), bench.settings(prompts=("alone",)))

    assert (job.state, job.done) == ("done", 1)
    assert [call["step"] for call in calls(bench, run_id)] == ["alone@1", "refusal@1"]
    (folder / "alone.v1.md").unlink()


def test_offline_judge_reads_the_question_as_it_is(bench: Any) -> None:
    run_id = bench.add("talk offline", [TALK, SINGLE])

    outcome = judge_run(bench.store, run_id, Request())

    assert outcome.done == 2
    details = bench.rows(
        "select detail from verdict join judge using (judge_id) where run_id = ? and "
        "kind = 'offline'",
        run_id,
    )
    assert not any("condensed" in (detail or "") for (detail,) in details)


def test_verdict_about_a_text_that_was_cut_says_so_or_is_not_made(bench: Any) -> None:
    cut = {**SINGLE, "tags": {"truncated": ["answer"]}}
    both = {**SINGLE, "tags": {"truncated": ["context", "answer"]}}
    run_id = bench.add("cut texts", [SINGLE, cut, both])
    metrics = ("context_relevance", "groundedness", "answer_relevance")

    left = bench.judge(run_id, Request(metrics, leave_cut=True))
    assert left.done == 1
    assert {v["sample_id"] for v in bench.verdicts(run_id)} == {"s000"}

    bench.judge(run_id, Request(metrics))
    judge_run(bench.store, run_id, Request(metrics))
    found = {
        (kind, sample, metric): json.loads(detail or "{}").get("cut_texts")
        for kind, sample, metric, detail in bench.rows(
            "select kind, sample_id, metric, detail from verdict join judge using (judge_id) join "
            "sample using (run_id, position) where run_id = ? and status = 'value'",
            run_id,
        )
    }
    expected = {
        "s000": (None, None, None),
        "s001": (None, ["answer"], ["answer"]),
        "s002": (["context"], ["answer", "context"], ["answer"]),
    }
    for sample, wanted in expected.items():
        names = ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric")
        assert tuple(found["llm", sample, name] for name in names) == wanted
        assert tuple(found["offline", sample, name] for name in metrics) == wanted
