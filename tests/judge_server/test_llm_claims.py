"""Answers without a claim, and claims that nobody can decide: each has its own state."""

from typing import Any

from core.workflows.diagnosing import diagnose
from core.workflows.judging import Request
from core.workflows.review import View

CAR = {"answer": "It is red. It is fast.", "contexts": [{"text": "A red car.", "rank": 1}]}
FAITHFUL = Request(("faithfulness", "faithfulness_contradiction"))


def test_b21_answer_without_a_claim_is_a_bucket_of_its_own(bench: Any) -> None:
    row = {**CAR, "answer": "Yes. fault:no_claims-b21"}
    run_id = bench.add("no claims", [row, CAR])

    job = bench.judge(run_id, FAITHFUL)

    # Neither a failure nor a pass: it is judged, and there is nothing to support.
    assert (job.done, job.failed) == (2, 0)
    found = {(v["sample_id"], v["metric"]): v for v in bench.verdicts(run_id)}
    without = found["s000", "faithfulness"]
    assert (without["status"], without["cause"]) == ("not_applicable", "no_claims")
    assert found["s000", "faithfulness_contradiction"]["value"] == 1
    assert found["s001", "faithfulness"]["value"] == 1
    scored = diagnose(bench.store, run_id, View())["axes"]["groundedness"]
    assert (scored["scored"]["value"], scored["scored"]["n"]) == (0.5, 2)


def test_b23_undecided_claim_counts_against_support_and_leaves_the_rest(bench: Any) -> None:
    row = {**CAR, "contexts": [{"text": "A red car. fault:undecided-b23", "rank": 1}]}
    run_id = bench.add("undecided", [row])

    bench.judge(run_id, FAITHFUL)

    found = {v["metric"]: v for v in bench.verdicts(run_id)}
    # One of two claims is supported; none is contradicted.
    assert found["faithfulness"]["value"] == 0.5
    assert found["faithfulness_contradiction"]["value"] == 1
    verdicts = [claim["verdict"] for claim in found["faithfulness"]["detail"]["claims"]]
    assert verdicts == ["supported", "not_found"]
    assert found["faithfulness"]["detail"]["unsupported_claims"] == ["It is fast."]
