"""Jobs: what is done is kept and never paid twice, whatever happens to the worker or the server."""

import os
import signal
import threading
from collections import Counter
from typing import Any

import pytest

from core.store import calls
from core.workflows import jobs
from core.workflows.judging import Request

RELEVANCE = Request(("answer_relevance",))


def plain(n: int, mark: str) -> list[dict[str, Any]]:
    """Samples whose requests are all different, and different from those of other tests."""
    return [{"question": f"What is {mark} {at}?", "answer": f"It is {at}."} for at in range(n)]


def kept(bench: Any, run_id: str) -> Counter[tuple[str, int]]:
    return Counter((one["sample_id"], one["repeat"]) for one in bench.verdicts(run_id))


def test_killed_worker_loses_nothing_that_was_saved_and_the_rest_follows(bench: Any) -> None:
    run_id = bench.add("killed", plain(24, "kill"))
    bench.server.latency(0.4)
    job = jobs.start(bench.store, run_id, bench.settings(concurrency=4), request=RELEVANCE)
    saved = bench.until(job, 4)
    assert saved.is_active
    os.kill(saved.pid, signal.SIGKILL)
    lost = bench.wait(job)
    before = kept(bench, run_id)
    bench.server.latency(0)
    n_before = bench.server.stats()["requests"]

    assert lost.state == "lost"
    assert lost.can_continue
    assert len(before) >= saved.done
    assert len(before) < 24
    done = bench.wait(jobs.resume(bench.store, job.job_id))
    after = kept(bench, run_id)
    assert (done.state, done.done, done.total) == ("done", 24 - len(before), 24 - len(before))
    assert bench.server.stats()["requests"] - n_before == 24 - len(before)
    assert len(after) == 24
    assert set(after.values()) == {1}


def test_stopped_job_sends_nothing_more_and_goes_on_where_it_stopped(bench: Any) -> None:
    run_id = bench.add("stopped", plain(40, "stop"))
    bench.server.latency(0.2)
    request = Request(("answer_relevance",), which="all")
    settings = bench.settings(concurrency=2, use_cache=False)
    job = jobs.start(bench.store, run_id, settings, request=request)
    bench.until(job, 4)
    jobs.cancel(bench.store, job.job_id)
    stopped = bench.wait(job)
    n_sent = bench.server.stats()["requests"]
    n_saved = len(bench.verdicts(run_id))
    bench.server.latency(0)

    assert stopped.state == "cancelled"
    assert stopped.can_continue
    assert 4 <= n_saved < 40
    # What was under way had a moment to end; nothing was sent and then dropped.
    assert n_sent == n_saved
    done = bench.wait(jobs.resume(bench.store, job.job_id))
    # "all" as it was asked for, but for what this job had done.
    assert done.total == 40 - n_saved
    assert bench.server.stats()["requests"] == 40
    assert set(kept(bench, run_id).values()) == {1}


def test_two_clicks_start_one_job(bench: Any) -> None:
    run_id = bench.add("clicks", plain(6, "click"))
    bench.server.latency(0.2)
    started: list[jobs.JobStatus] = []

    def click() -> None:
        started.append(jobs.start(bench.store, run_id, bench.settings(), request=RELEVANCE))

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for one in clicks:
        one.start()
    for one in clicks:
        one.join()

    assert len({status.job_id for status in started}) == 1
    assert bench.wait(started[0]).done == 6
    assert bench.server.stats()["requests"] == 6


def test_worker_is_kept_for_the_next_job(bench: Any) -> None:
    run_id = bench.add("warm", plain(2, "warm"))
    first = bench.judge(run_id, RELEVANCE)
    second = bench.judge(run_id, Request(("refusal",)))
    assert second.state == "done"
    assert second.pid == first.pid


def test_repeats_are_made_once_each(bench: Any) -> None:
    run_id = bench.add("repeats", plain(3, "repeat"))
    bench.judge(run_id, Request(("answer_relevance",), repeats=2))
    more = bench.judge(run_id, Request(("answer_relevance",), repeats=3))
    # 3 samples: two repeats, and then the third alone. A repeat never comes from the store.
    assert bench.server.stats()["requests"] == 9
    assert (more.done, more.total, more.cached) == (3, 3, 0)
    assert set(kept(bench, run_id).values()) == {1}
    assert {one["repeat"] for one in bench.verdicts(run_id)} == {0, 1, 2}


def test_only_what_failed_is_tried_again(bench: Any) -> None:
    rows = [*plain(3, "failed"), {"question": "What? fault:mended-a", "answer": "It."}]
    run_id = bench.add("failed", rows)
    first = bench.judge(run_id, RELEVANCE)
    n_first = bench.server.stats()["requests"]
    again = bench.judge(run_id, Request(("answer_relevance",), which="failed"))
    none = bench.judge(run_id, Request(("answer_relevance",), which="failed"))

    assert (first.done, first.failed, dict(first.errors)) == (3, 1, {"invalid_json": 1})
    # A reply that could not be used is not answered from the store.
    assert bench.server.stats()["requests"] - n_first == 1
    assert (again.done, again.failed, again.cached) == (1, 0, 0)
    assert (none.state, none.total, none.done) == ("done", 0, 0)


def test_one_bad_context_leaves_the_rest_and_is_tried_again_alone(bench: Any) -> None:
    contexts = [
        {"text": "It is red.", "rank": 1, "doc_id": "a"},
        {"text": "fault:mended-b It is fast.", "rank": 2, "doc_id": "b"},
        {"text": "", "rank": 3, "doc_id": "c"},
    ]
    run_id = bench.add("partial", [{"question": "What is partial?", "contexts": contexts}])
    request = Request(("context_relevance",))
    bench.judge(run_id, request)
    (partial,) = bench.verdicts(run_id)
    n_before = bench.server.stats()["requests"]
    bench.judge(run_id, Request(("context_relevance",), which="failed"))
    whole = bench.verdicts(run_id)[-1]

    assert (partial["status"], partial["value"], partial["detail"]["partial"]) == ("value", 4, True)
    listed = [
        (one["rank"], one["score"], one.get("error")) for one in partial["detail"]["contexts"]
    ]
    assert listed == [(1, 4, None), (2, None, "invalid_json"), (3, None, "empty")]
    assert bench.server.stats()["requests"] - n_before == 1
    assert [one["score"] for one in whole["detail"]["contexts"]] == [4, 4, None]


def test_equal_request_is_answered_from_the_store_and_marked(bench: Any) -> None:
    rows = plain(3, "cache")
    bench.judge(bench.add("cache-1", rows), RELEVANCE)
    other = bench.add("cache-2", rows)
    n_before = bench.server.stats()["requests"]
    cached = bench.judge(other, RELEVANCE)
    found = bench.verdicts(other)

    assert bench.server.stats()["requests"] == n_before
    assert (cached.done, cached.calls, cached.cached, cached.cost) == (3, 0, 3, 0.0)
    assert [one["detail"] for one in found] == [{"cached": True}] * 3
    assert [(one["value"], one["cost"], one["latency"]) for one in found] == [(4.0, 0.0, None)] * 3
    asked = Request(("answer_relevance",), which="all")
    anew = bench.judge(other, asked, bench.settings(use_cache=False))
    assert (anew.calls, anew.cached) == (3, 0)


@pytest.mark.parametrize(
    "changed", [{"temperature": 0.7}, {"model": "openai/other"}, {"seed": 1}, {"max_tokens": 99}]
)
def test_another_setting_is_another_request_and_another_judge(
    bench: Any, changed: dict[str, Any]
) -> None:
    mark = "-".join(changed)
    run_id = bench.add(f"setting-{mark}", plain(1, mark))
    bench.judge(run_id, RELEVANCE)
    status = bench.judge(run_id, RELEVANCE, bench.settings(**changed))
    assert (status.calls, status.cached) == (1, 0)
    ids = bench.rows("select distinct judge_id from verdict where run_id = ?", run_id)
    # The two judges, and the offline one whose patterns of refusals came with the import.
    assert len(ids) == 3


def test_two_steps_are_remembered_both(bench: Any) -> None:
    row = {"answer": "It is two steps.", "contexts": [{"text": "A.", "rank": 1, "doc_id": "a"}]}
    request = Request(("faithfulness", "faithfulness_contradiction"))
    bench.judge(bench.add("steps-1", [row]), request)
    assert bench.server.stats()["requests"] == 2
    again = bench.judge(bench.add("steps-2", [row, {**row, "question": "Another?"}]), request)
    # The second sample has another question, which the first step is shown. What it finds is the
    # same, so that its second step is known: 2 + 1 from the store, 1 sent.
    assert (again.cached, bench.server.stats()["requests"]) == (3, 3)


def test_metrics_of_the_same_requests_keep_them_once_and_both_show_them(bench: Any) -> None:
    row = {"answer": "It is shared.", "contexts": [{"text": "A.", "rank": 1, "doc_id": "a"}]}
    run_id = bench.add("shared", [row])
    metrics = ("faithfulness", "faithfulness_contradiction")
    bench.judge(run_id, Request(metrics), bench.settings(price=(1.0, 10.0)))
    first, second = bench.verdicts(run_id)
    with bench.store.reading() as connection:
        shown = [calls.calls_of(connection, run_id, v["verdict_no"]) for v in (first, second)]
        counts = calls.call_counts(connection, run_id)

    assert [one["step"] for one in shown[0]] == ["claims_extract@1", "claims_check@1"]
    assert shown[1] == shown[0]
    # Two requests of 1000 tokens in and 100 out, paid once.
    assert (first["cost"], second["cost"]) == (pytest.approx(0.004), 0.0)
    assert (counts["n"], counts["cost"]) == (2, pytest.approx(0.004))


def test_budget_is_never_exceeded(bench: Any) -> None:
    run_id = bench.add("budget", plain(20, "budget"))
    # A reply of the server: 1000 tokens in, 100 out; at 1 and 10 USD a million that is 0.002 USD.
    # Before it is sent at most 100 tokens are set aside for a reply and some 450 for the prompt.
    priced = bench.settings(price=(1.0, 10.0), max_cost=0.0101, max_tokens=100, concurrency=2)
    status = bench.judge(run_id, RELEVANCE, priced)
    errors = [one for one in bench.verdicts(run_id) if one["status"] == "error"]

    assert status.state == "failed"
    assert status.cost == pytest.approx(0.002 * status.done)
    # 5 x 0.002 = 0.0100; a sixth could not be paid.
    assert status.done == 5
    assert "limit of $0.0101" in status.message
    assert {one["cause"] for one in errors} == {"budget"}
    assert 1 <= len(errors) <= 2
    rest = bench.judge(run_id, RELEVANCE, bench.settings(price=(1.0, 10.0), max_tokens=100))
    assert (rest.done, rest.state) == (15, "done")


def test_limit_without_a_known_price_is_refused(bench: Any) -> None:
    run_id = bench.add("unpriced", plain(1, "unpriced"))
    refused = bench.judge(run_id, RELEVANCE, bench.settings(max_cost=1.0))
    assert refused.state == "failed"
    assert "price of openai/fake is unknown" in refused.message
    assert bench.server.stats()["requests"] == 0
    unknown = bench.judge(run_id, RELEVANCE)
    assert (unknown.cost, unknown.calls) == (None, 1)
    (verdict,) = bench.verdicts(run_id)
    assert (verdict["cost"], verdict["tokens"]) == (None, 1100)


def test_refused_key_ends_the_job(bench: Any) -> None:
    rows = [{"question": f"What? fault:auth-{at}", "answer": "It."} for at in range(30)]
    run_id = bench.add("auth", rows)
    status = bench.judge(run_id, RELEVANCE, bench.settings(concurrency=3))
    found = bench.verdicts(run_id)

    assert status.state == "failed"
    assert "Incorrect API key" in status.message
    assert {one["cause"] for one in found} == {"auth"}
    # Those that were under way when the first was refused; the other samples stay open.
    assert 1 <= len(found) <= 3
    assert bench.server.stats()["requests"] <= 3


def test_account_without_credit_ends_the_job(bench: Any) -> None:
    rows = [{"question": f"What? fault:quota-{at}", "answer": "It."} for at in range(9)]
    status = bench.judge(bench.add("quota", rows), RELEVANCE, bench.settings(concurrency=1))
    assert (status.state, dict(status.errors)) == ("failed", {"budget": 1})


def test_job_gives_up_where_every_request_fails(bench: Any) -> None:
    rows = [{"question": f"What? fault:not_found-h{at}", "answer": "It."} for at in range(140)]
    run_id = bench.add("hopeless", rows)
    status = bench.judge(run_id, RELEVANCE, bench.settings(concurrency=4))
    assert status.state == "failed"
    assert status.message.startswith("100 requests in a row have failed")
    # The hundredth ended it; up to three others were under way.
    assert 100 <= status.failed <= 103
    assert status.can_continue


def test_no_more_requests_at_a_time_than_allowed(bench: Any) -> None:
    contexts = [{"text": f"Text {at}.", "rank": at, "doc_id": str(at)} for at in range(1, 5)]
    rows = [{"question": f"Many {at}?", "contexts": contexts} for at in range(6)]
    run_id = bench.add("bounded", rows)
    bench.server.latency(0.1)
    bench.judge(run_id, Request(("context_relevance",)), bench.settings(concurrency=5))
    assert bench.server.stats()["requests"] == 24
    assert 2 <= bench.server.stats()["most_open"] <= 5


def test_prompt_that_does_not_fit_is_not_sent_unless_it_may_be_shortened(bench: Any) -> None:
    text = "The bridge is red and old and made of iron. " * 400
    row = {"answer": "It is red.", "contexts": [{"text": text, "rank": 1, "doc_id": "a"}]}
    run_id = bench.add("long", [row])
    small = {"context_limit": 2000, "max_tokens": 500}
    request = Request(("groundedness",))
    bench.judge(run_id, request, bench.settings(**small))
    n_sent = bench.server.stats()["requests"]
    (refused,) = bench.verdicts(run_id)
    bench.judge(run_id, request, bench.settings(**small, shorten_contexts=True))
    shortened = bench.verdicts(run_id)[-1]
    sent = bench.server.stats()["last_messages"][-1]["content"]

    assert (refused["cause"], n_sent) == ("context_length", 0)
    assert "--shorten-contexts" in refused["reasoning"]
    assert shortened["status"] == "value"
    assert shortened["detail"]["context_truncated"] is True
    assert 1000 < len(sent) < len(text) / 2
    # The answer stands before the contexts and is whole.
    assert "It is red." in sent


def test_parameters_that_a_model_does_not_take_are_dropped_and_noted(bench: Any) -> None:
    rows = [{"question": f"What? fault:no_temperature-{at}", "answer": "It."} for at in "xy"]
    run_id = bench.add("dropped", rows)
    settings = bench.settings(model="openai/picky", concurrency=1)
    assert bench.judge(run_id, RELEVANCE, settings).done == 2
    stored = bench.rows(
        "select settings ->> '$.dropped[0]', settings ->> '$.format' from call where run_id = ?",
        run_id,
    )
    assert stored == [("temperature", "json_schema")] * 2
    # One refusal: what was learned from it holds for the second request.
    assert bench.server.stats()["requests"] == 3


def test_samples_are_chosen_by_share_the_same_each_time(bench: Any) -> None:
    run_id = bench.add("share", plain(40, "share"))
    request = Request(("answer_relevance",), sample_rate=0.25, seed=7)
    first = bench.judge(run_id, request)
    second = bench.judge(run_id, request)
    assert 0 < first.done < 40
    assert second.total == 0


def test_connection_test_says_what_the_model_can_do(bench: Any) -> None:
    good = bench.wait(jobs.start_test(bench.store, bench.settings())).result
    nobody = bench.settings(api_base="http://127.0.0.1:9/v1")
    closed = bench.wait(jobs.start_test(bench.store, nobody)).result

    assert good is not None
    assert (good["is_ok"], good["score"], good["format"]) == (True, 4, "json_schema")
    assert good["tokens"] == 1100
    assert closed is not None
    assert (closed["is_ok"], closed["kind"]) == (False, "settings")
    assert "Nobody answers at http://127.0.0.1:9" in closed["message"]


def test_jobs_of_a_run_are_listed_newest_first(bench: Any) -> None:
    run_id = bench.add("listed", plain(1, "listed"))
    first = bench.judge(run_id, RELEVANCE)
    second = bench.judge(run_id, Request(("refusal",)))
    listed = jobs.recent(bench.store, run_id)
    assert [one.job_id for one in listed] == [second.job_id, first.job_id]
    assert [one.metrics for one in listed] == [("refusal",), ("answer_relevance",)]
    assert jobs.active(bench.store) == []
