"""Answers of a run: compared once, counted by outcome and source, by length, by slice."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.diagnosis.outcomes import AnswerOutcome
from core.errors import BadInputError
from core.filters import from_terms
from core.store import queries
from core.store.connection import Store
from core.workflows.answers import CORRECT, load_answers, score_slices, score_view
from core.workflows.comparing_answers import compare_answers
from core.workflows.deriving import derive
from core.workflows.exporting import export
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request, judge_run
from core.workflows.review import View
from core.workflows.sample_views import sample_ids

CHOICES = "Which lamp? A) red B) blue"
ROWS: list[dict[str, Any]] = [
    # by a label, which goes before the text
    {"answer": "red", "reference": "red", "labels": {"correct": 0, "answerable": 1}},
    {"answer": "blue one", "reference": "red", "labels": {"correct": 1, "answerable": 1}},
    # by the option chosen, both ways
    {"question": CHOICES, "answer": "(a)", "reference": "A"},
    {"question": CHOICES, "answer": "The answer is B.", "reference": "A"},
    # by the same text, and by the same list
    {"answer": "The red lamp", "reference": ["x", "red lamp."], "tags": {"kind": "lamp"}},
    {"answer": "red and blue", "reference": "blue, red", "tags": {"kind": "lamp"}},
    # other words show nothing; no reference; a refusal
    {"answer": "green", "reference": "red", "tags": {"kind": "other"}},
    {"answer": "seven words that nothing is compared with"},
    {"answer": "I don't know.", "reference": "red", "labels": {"answerable": 0}},
]


def written(folder: Path, rows: Sequence[dict[str, Any]], name: str = "lamps") -> Path:
    path = folder / f"{name}.jsonl"
    lines = [
        {"question": "Which lamp?", "contexts": [], **row, "sample_id": f"s{i}"}
        for i, row in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def filled(store: Store, folder: Path, rows: Sequence[dict[str, Any]] = ROWS) -> str:
    report = import_file(store, written(folder, rows), Options())
    assert report.is_stored, report.problems
    (run,) = report.runs
    derive(store, run.run_id)
    return run.run_id


@pytest.fixture
def run_id(fresh_store: Store, tmp_path: Path) -> str:
    return filled(fresh_store, tmp_path)


def ids(store: Store, run_id: str, *terms: str) -> list[str]:
    return list(sample_ids(store, run_id, View(wanted=from_terms(terms))))


def verdicts(store: Store, run_id: str) -> int:
    with store.reading() as connection:
        rows = queries.metric_summary(connection, run_id)
    return sum(row.n for row in rows)


def test_each_source_settles_what_the_ones_before_left(fresh_store: Store, run_id: str) -> None:
    found = load_answers(fresh_store, run_id, View())
    right, wrong, refused, unknown = (found.outcomes[one] for one in AnswerOutcome)
    # right: s1 by label, s2 by option, s4 by text, s5 by list; wrong: s0 by label, s3 by option
    assert (right, wrong, refused, unknown) == (4, 2, 1, 2)
    by = {
        source: (counts[AnswerOutcome.CORRECT], counts[AnswerOutcome.INCORRECT])
        for source, counts in found.by_source.items()
    }
    assert by == {
        "label": (1, 1),
        "choice": (1, 1),
        "exact": (1, 0),
        "list": (1, 0),
        "none": (0, 0),
    }
    assert found.by_source["none"][AnswerOutcome.UNKNOWN] == 2


def test_every_count_opens_its_samples(fresh_store: Store, run_id: str) -> None:
    assert ids(fresh_store, run_id, "outcome=correct") == ["s1", "s2", "s4", "s5"]
    assert ids(fresh_store, run_id, "outcome=incorrect") == ["s0", "s3"]
    assert ids(fresh_store, run_id, "outcome=refused") == ["s8"]
    assert ids(fresh_store, run_id, "correct_by=choice") == ["s2", "s3"]
    assert ids(fresh_store, run_id, "metric.exact_match@overlap-v1=1..1") == ["s0", "s2", "s4"]
    assert ids(fresh_store, run_id, "state.token_f1=not_applicable:no_reference") == ["s7"]
    assert ids(fresh_store, run_id, "refusal=refused_unanswerable") == ["s8"]


def test_comparisons_say_how_many_lack_them_and_why(fresh_store: Store, run_id: str) -> None:
    found = load_answers(fresh_store, run_id, View())
    token_f1, choice = found.score("token_f1"), found.score("choice_match")
    assert token_f1 is not None
    assert choice is not None
    # 8 of 9 have a reference
    assert (token_f1.mean.n, token_f1.n_not_scored) == (8, 0)
    assert token_f1.causes == (("not_applicable", "no_reference", 1),)
    # two questions have options; one of the two answers chooses the right one
    assert (choice.mean.value, choice.mean.n, choice.n_not_scored) == (0.5, 2, 7)


def test_refusals_against_what_the_labels_say(fresh_store: Store, run_id: str) -> None:
    table = load_answers(fresh_store, run_id, View()).refusals
    # s0 and s1 answered and answerable by label, s8 refused and unanswerable; nothing retrieved is
    # low context relevance by rule, so the six others should have been refused
    assert table.by_label == 3
    assert (table.counts.answered_answerable, table.counts.refused_unanswerable) == (2, 1)


def test_the_filter_holds_for_every_figure(fresh_store: Store, run_id: str) -> None:
    view = View(wanted=from_terms(["tag.kind=lamp"]))
    found = load_answers(fresh_store, run_id, view)
    assert (found.n, found.outcomes[AnswerOutcome.CORRECT]) == (2, 2)
    exact = found.score("exact_match")
    assert exact is not None
    assert (exact.mean.value, exact.mean.n) == (
        0.5,
        2,
    )  # the same text; the same list in other order


def test_slices_and_their_n(fresh_store: Store, run_id: str) -> None:
    found = dict(score_slices(fresh_store, run_id, View(), CORRECT, "kind"))
    assert {value: (rate.value, rate.n) for value, rate in found.items()} == {"lamp": (1.0, 2)}
    exact = dict(score_slices(fresh_store, run_id, View(), "exact_match", "kind"))
    assert {value: (rate.value, rate.n) for value, rate in exact.items()} == {
        "lamp": (0.5, 2),
        "other": (0.0, 1),
    }


def test_few_answers_are_not_grouped_by_length(fresh_store: Store, run_id: str) -> None:
    assert score_view(fresh_store, run_id, View(), "token_f1").groups == ()


def test_length_groups_are_even_and_keep_equal_lengths_together(
    fresh_store: Store, tmp_path: Path
) -> None:
    # 25 answers: five of one word, …, five of five; only those of one word are right.
    rows = [
        {"answer": " ".join(["lamp"] * n), "reference": "lamp"}
        for n in range(1, 6)
        for _ in range(5)
    ]
    run_id = filled(fresh_store, tmp_path, rows)
    view = score_view(fresh_store, run_id, View(), "exact_match")
    groups = [(g.shortest, g.longest, g.mean.value, g.mean.n) for g in view.groups]
    assert groups == [(1, 1, 1.0, 5), *((n, n, 0.0, 5) for n in range(2, 6))]
    assert view.correlation is not None
    assert view.correlation.high is not None
    assert view.correlation.high < 0
    assert ids(fresh_store, run_id, "metric.answer_words@overlap-v1=1..1") == [
        f"s{i}" for i in range(5)
    ]


def test_comparing_is_done_once_and_goes_on_with_what_was_appended(
    fresh_store: Store, run_id: str, tmp_path: Path
) -> None:
    before = verdicts(fresh_store, run_id)
    assert compare_answers(fresh_store, run_id) == 0
    assert verdicts(fresh_store, run_id) == before
    more = [{"answer": "red", "reference": "red"}]
    path = tmp_path / "more.jsonl"
    path.write_text(json.dumps({"question": "And?", "sample_id": "new", **more[0]}) + "\n")
    assert import_file(fresh_store, path, Options(append_to=run_id)).is_stored
    assert load_answers(fresh_store, run_id, View()).n_uncompared == 1
    assert compare_answers(fresh_store, run_id) == 1
    assert load_answers(fresh_store, run_id, View()).n_uncompared == 0


def test_without_any_reference_only_lengths_are_stored(fresh_store: Store, tmp_path: Path) -> None:
    run_id = filled(fresh_store, tmp_path, [{"answer": "one"}, {"answer": "two words"}])
    found = load_answers(fresh_store, run_id, View())
    assert not found.has_references
    assert {one.mean.n for one in found.scores} == {0}
    assert ids(fresh_store, run_id, "metric.answer_words=2..") == ["s1"]


def test_comparisons_feed_no_axis_and_displace_no_judge(fresh_store: Store, run_id: str) -> None:
    choices = load_answers(fresh_store, run_id, View()).settings.choices
    models = load_answers(fresh_store, run_id, View()).settings.models
    assert {models[one.judge_id] for one in choices.values()} <= {"lexical-v1"}


def test_the_offline_judge_makes_them_on_request(fresh_store: Store, run_id: str) -> None:
    done = judge_run(fresh_store, run_id, Request(("rouge_l",), which="all"))
    assert (done.judge, done.done, done.metrics) == ("overlap-v1", 9, ("rouge_l",))
    with pytest.raises(BadInputError, match="judged apart"):
        judge_run(fresh_store, run_id, Request(("rouge_l", "groundedness")))


def test_an_export_brings_the_comparisons_along(
    fresh_store: Store, run_id: str, tmp_path: Path
) -> None:
    before = load_answers(fresh_store, run_id, View())
    export(fresh_store, run_id, View(), tmp_path / "out.jsonl")
    report = import_file(fresh_store, tmp_path / "out.jsonl", Options())
    assert report.is_stored, report.problems
    again = load_answers(fresh_store, report.runs[0].run_id, View())
    assert (again.scores, again.outcomes, again.by_source, again.n_uncompared) == (
        before.scores, before.outcomes, before.by_source, 0,
    )  # fmt: skip


def test_financebench_answers_by_outcome(
    fresh_store: Store, data_dir: Path, shared_dir: Path
) -> None:
    report = import_file(fresh_store, data_dir / "financebench_answers.jsonl", Options())
    total = dict.fromkeys(AnswerOutcome, 0)
    for run in report.runs:
        for outcome, n in load_answers(fresh_store, run.run_id, View()).outcomes.items():
            total[outcome] += n
    assert list(total.values()) == [1_135, 528, 737, 0]
