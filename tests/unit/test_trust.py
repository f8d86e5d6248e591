"""What is said about the trust in a run's numbers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.filters import from_terms
from core.store import parts
from core.store.connection import Store
from core.workflows.comparability import mixed_judges
from core.workflows.deriving import derive
from core.workflows.importing import Options, import_file
from core.workflows.overview import overview
from core.workflows.review import View, matched
from core.workflows.setup import ensure_store
from core.workflows.trust import TrustLine, trust_lines

Make = Callable[..., Store]
RUBRICS = ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric")
RATIOS = ("context_relevance", "groundedness", "answer_relevance")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Factory ``make(records)``: a store with one run "r"."""

    def store_of(records: list[dict[str, object]]) -> Store:
        file = tmp_path / "r.jsonl"
        rows = [
            json.dumps({"run": "r", "sample_id": str(i), "question": "q", "answer": "a", **record})
            for i, record in enumerate(records)
        ]
        file.write_text("\n".join(rows), encoding="utf-8")
        made, _ = ensure_store(tmp_path / "store.duckdb")
        assert import_file(made, file, Options()).is_stored
        return made

    return store_of


def lines(store: Store) -> tuple[TrustLine, ...]:
    return trust_lines(overview(store, "r", View()))


def scores(*values: float, names: tuple[str, ...] = RUBRICS) -> dict[str, object]:
    return {"scores": dict(zip(names, values, strict=True))}


def count_of(store: Store, line: TrustLine) -> int:
    """Samples that the line's filter finds."""
    with matched(store, "r", View(wanted=from_terms(line.terms))) as (connection, _):
        return int(connection.execute("select count(*) from matched").fetchall()[0][0])


def test_labels_without_scores_are_not_said_to_be_missing(make: Make) -> None:
    _, agreement, *_ = lines(make([{"labels": {"faithful": 1}}, {"labels": {"faithful": 0}}]))
    assert (agreement.is_fine, agreement.figure) == (False, "nothing scored")


def test_scores_of_a_file_name_no_judge(make: Make) -> None:
    judge, agreement, *_ = lines(make([scores(5, 5, 5)]))
    assert (judge.is_fine, judge.label) == (False, "Judge not named")
    assert (agreement.is_fine, agreement.figure) == (False, "no label to compare with")


def test_axes_scored_by_different_judges_are_called_mixed(make: Make) -> None:
    verdict = {
        "metric": "groundedness_rubric",
        "judge": {"kind": "imported", "model": "strict-v2"},
        "status": "value",
        "value": 5,
    }
    store = make([{"scores": {RUBRICS[0]: 5, RUBRICS[2]: 5}, "verdicts": [verdict]}])

    judge = lines(store)[0]

    assert (judge.is_fine, judge.label, judge.figure) == (False, "Mixed judges", "file + strict-v2")
    assert "context relevance and answer relevance by file; groundedness by strict-v2" in judge.why


def test_one_judge_is_not_mixed(make: Make) -> None:
    with matched(make([scores(5, 5, 5)]), "r", View()) as (_, settings):
        assert mixed_judges(settings) is None


def test_axes_without_scores_are_named(make: Make) -> None:
    judge, *_ = lines(make([{"scores": {"groundedness_rubric": 5}}]))
    assert (judge.label, judge.figure) == ("Not judged on all axes", "nobody scored CR, AR")


def labelled(n: int, *, is_good: bool) -> list[dict[str, object]]:
    """Groundedness 5 and 1 in turn; the label follows it, or every other pair is crossed."""
    found = []
    for i in range(n):
        value = 5 if i % 2 else 1
        crossed = not is_good and i % 4 < 2
        label = int(value == 5) ^ int(crossed)
        found.append({**scores(5, value, 5), "labels": {"faithful": label}})
    return found


def test_a_judge_that_agrees_with_people_is_fine(make: Make) -> None:
    rows = labelled(40, is_good=True)
    rows[0]["labels"] = {"faithful": 1}  # one sample crossed, so that there is an interval
    _, agreement, *_ = lines(make(rows))
    assert (agreement.is_fine, agreement.label) == (True, "Agrees with people")
    # 21 ones of which 20 score 5, 19 zeros that score 1: (20*19 + .5*19) / (21*19) = .9762
    assert agreement.figure.startswith("AUC 0.98 (")
    assert agreement.figure.endswith(", n = 40")


def test_a_judge_that_guesses_is_not(make: Make) -> None:
    _, agreement, *_ = lines(make(labelled(40, is_good=False)))
    assert (agreement.is_fine, agreement.label) == (False, "Agrees too little with people")
    assert agreement.figure.startswith("AUC 0.50 (")


def test_labels_of_one_kind_check_nothing(make: Make) -> None:
    rows = [{**scores(5, 5, 5), "labels": {"faithful": 1}} for _ in range(3)]
    _, agreement, *_ = lines(make(rows))
    assert agreement.label == "Judge not checked"
    assert agreement.figure == "all labels are alike, so there is nothing to tell apart"


def test_labels_without_any_overlap_have_no_interval(make: Make) -> None:
    _, agreement, *_ = lines(make(labelled(8, is_good=True)))
    assert (agreement.is_fine, agreement.figure) == (False, "AUC 1.00, no interval, n = 8")


def test_borderline_scores_open_their_samples(make: Make) -> None:
    # A cut of 0.70: 0.72 lies within 0.05 of it, 0.9 does not.
    rows = [scores(0.9, 0.9, 0.9, names=RATIOS)] * 3 + [scores(0.9, 0.72, 0.9, names=RATIOS)]
    store = make(rows)
    _, _, borderline, *_ = lines(store)
    assert (borderline.is_fine, borderline.figure) == (False, "1 of 4 near a cut")
    assert count_of(store, borderline) == 1


def test_one_repeat_says_nothing_about_stability(make: Make) -> None:
    _, _, _, repeats, *_ = lines(make([scores(5, 5, 5)]))
    assert (repeats.is_fine, repeats.label, repeats.terms) == (False, "Judged once", ())


def repeated(*values: int) -> dict[str, object]:
    judge = {"kind": "imported", "model": "m"}
    verdicts = [
        {
            "metric": "groundedness_rubric",
            "judge": judge,
            "repeat": i,
            "status": "value",
            "value": v,
        }
        for i, v in enumerate(values)
    ]
    others = {"context_relevance_rubric": 5, "answer_relevance_rubric": 5}
    return {"scores": others, "verdicts": verdicts}


def test_repeats_that_differ_open_their_samples(make: Make) -> None:
    store = make([repeated(5, 5, 5), repeated(5, 2, 1)])
    _, _, _, repeats, *_ = lines(store)
    assert (repeats.is_fine, repeats.figure) == (False, "1 of 2 differ over 3 repeats")
    assert count_of(store, repeats) == 1


def test_undecided_samples_say_why_and_open(make: Make) -> None:
    rows = [scores(5, 5, 5), {"scores": {"groundedness_rubric": None}}, {}]
    store = make(rows)
    undecided = lines(store)[4]
    assert (undecided.is_fine, undecided.figure) == (False, "2 of 3")
    assert "2 not scored" in undecided.why
    assert "1 error: the cell in the file is empty" in undecided.why
    assert count_of(store, undecided) == 2


def test_everything_decided_is_fine(make: Make) -> None:
    undecided = lines(make([scores(5, 5, 5)]))[4]
    assert (undecided.is_fine, undecided.label, undecided.terms) == (
        True,
        "Every sample decided",
        (),
    )


def test_a_closed_test_part_is_left_out_until_it_is_opened(make: Make) -> None:
    store = make(labelled(40, is_good=True))
    with store.writing() as connection:
        n_test = parts.deal(connection, "r", "faithful")["test"]
    assert n_test == 18  # .425 of each class of 20, rounded up

    agreement = lines(store)[1]
    assert agreement.figure.endswith("n = 22")
    assert "The closed test part of the labels is left out." in agreement.why

    with store.writing() as connection:
        parts.open_test(connection, "r", "faithful")
    agreement = lines(store)[1]
    assert agreement.figure.endswith("n = 40")
    assert "left out" not in agreement.why


def test_an_open_test_part_of_another_label_opens_nothing(make: Make) -> None:
    rows = labelled(40, is_good=True)
    for row in rows:
        row["labels"] = {"faithful": 1, "useful": 1, **row["labels"]}  # type: ignore[dict-item]
    store = make(rows)
    with store.writing() as connection:
        for criterion in ("faithful", "useful"):
            parts.deal(connection, "r", criterion)
        parts.open_test(connection, "r", "useful")
    assert lines(store)[1].figure.endswith("n = 22")


def test_a_wrong_success_is_named_and_opens(make: Make) -> None:
    wrong = {**scores(5, 5, 5), "labels": {"correct": 0}}
    right = {**scores(5, 5, 5), "labels": {"correct": 1}}
    store = make([wrong, right, right, scores(1, 1, 1)])
    *_, success, contradictions = lines(store)
    assert (success.is_fine, success.label) == (False, "Success, but wrong")
    assert success.figure == "1 of 3 successes"
    assert count_of(store, success) == 1
    assert (contradictions.is_fine, contradictions.figure) == (False, "1 of 4")
    assert "1 success, but wrong" in contradictions.why


def test_a_sample_of_two_kinds_of_contradiction_counts_once(make: Make) -> None:
    # Wrong although all is high, and relevant although the gold document was not retrieved.
    both = {
        **scores(5, 5, 5),
        "labels": {"correct": 0},
        "contexts": [{"doc_id": "a", "text": "x"}],
        "gold_doc_ids": ["b"],
    }
    off_target = {**scores(5, 5, 1), "labels": {"correct": 1}}
    store = make([both, off_target, scores(5, 5, 5)])
    unknown = lines(store)[-1]
    assert "Of 3 it is not known yet whether the evidence was retrieved." in unknown.why

    derive(store, "r")

    contradictions = lines(store)[-1]
    assert (contradictions.is_fine, contradictions.figure) == (False, "2 of 3")
    assert "not known yet" not in contradictions.why
    assert "1 success, but wrong; 1 relevant, but no hit; 1 correct, but off target" in (
        contradictions.why
    )
    assert count_of(store, contradictions) == 2


def test_without_anything_to_contradict_there_is_no_contradiction(make: Make) -> None:
    store = make([scores(5, 5, 5)])
    assert lines(store)[-1].is_fine is False  # not before hits were looked at
    derive(store, "r")
    contradictions = lines(store)[-1]
    assert (contradictions.is_fine, contradictions.label, contradictions.figure) == (
        True,
        "No contradictions",
        "0 of 1",
    )
    assert contradictions.terms == ()


def test_what_nobody_scored_passes_nothing(make: Make) -> None:
    found = lines(make([{}, {}]))
    assert [line.label for line in found if line.is_fine] == []
    by_label = {line.label: line for line in found}
    assert by_label["Borderline scores"].figure == "nothing scored"
    assert by_label["Contradictions"].figure == "nothing scored"


def test_borderline_scores_and_contradictions_count_what_was_scored(make: Make) -> None:
    store = make([scores(0.1, 0.9, 0.9, names=RATIOS), {}, {}])
    derive(store, "r")
    by_label = {line.label: line for line in lines(store)}
    # one of three samples has scores: 0.1 and 0.9 lie far from the cut of 0.7
    assert by_label["Few borderline scores"].figure == "0 of 1 near a cut"
