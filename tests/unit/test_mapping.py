"""The mapper: what each role makes of scores, labels and everything that is no text."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInputError
from core.ingest.mapped import MappedImporter
from core.ingest.mapping import Mapping
from core.ingest.mapping_toml import loads
from core.records import Notices, ParsedRun, ParsedSample, Problem


class Read:
    """What a mapped file yields."""

    def __init__(self, path: Path, mapping: Mapping) -> None:
        notices = Notices()
        items = list(MappedImporter(mapping).read(path, notices, path.stem))
        self.samples = [item for item in items if isinstance(item, ParsedSample)]
        self.runs = [item for item in items if isinstance(item, ParsedRun)]
        self.problems = [item for item in items if isinstance(item, Problem)]
        self.notices = {notice.notice: notice.n for notice in notices.as_list()}

    @property
    def only(self) -> ParsedSample:
        (sample,) = self.samples
        return sample


def csv_of(tmp_path: Path, *lines: str, name: str = "file.csv") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rows_of(tmp_path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path = tmp_path / "file.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def mapped(columns: str, head: str = "") -> Mapping:
    return loads(f"{head}\n[columns]\n{columns}")


# --- scores ---------------------------------------------------------------------------------------


def test_zero_empty_words_and_other_texts_are_four_different_things(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,m", "?,0", "?,", "?,n/a", "?,NaN (rate limit)", "?,0.0")
    found = Read(path, mapped('q = "question"\nm = "metric"'))
    assert [(s.scores[0].value, s.scores[0].cause, s.scores[0].raw) for s in found.samples] == [
        (0.0, None, None),
        (None, "absent_in_file", ""),
        (None, "absent_in_file", "n/a"),
        (None, "unparsable", "NaN (rate limit)"),
        (0.0, None, None),
    ]


def test_a_key_that_a_row_lacks_is_not_scored(tmp_path: Path) -> None:
    path = rows_of(tmp_path, [{"q": "?", "m": None}, {"q": "?"}])
    found = Read(path, mapped('q = "question"\nm = "metric"'))
    assert [[score.cause for score in s.scores] for s in found.samples] == [["absent_in_file"], []]


def test_a_metric_has_the_name_scale_direction_and_cut_of_the_map(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,Halluc.", "?,2")
    columns = (
        'q = "question"\n"Halluc." = { role = "metric", name = "hallucination", lo = 0, hi = 3, '
        'direction = "lower", cut = 1 }'
    )
    found = Read(path, mapped(columns))
    assert found.only.scores[0].metric == "hallucination"
    assert found.runs[0].metrics == {
        "hallucination": {"lo": 0.0, "hi": 3.0, "direction": "lower", "cut": 1.0}
    }
    assert json.loads(found.runs[0].config or "{}")["names_in_file"] == {"hallucination": "Halluc."}


def test_words_stand_for_numbers_and_the_word_is_kept(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,m", "?,Yes", "?,no", "?,perhaps", "?,")
    found = Read(
        path, mapped('q = "question"\nm = { role = "metric", values = {yes = 1, no = 0} }')
    )
    scores = [(s.verdicts or s.scores)[0] for s in found.samples]
    assert [(score.value, score.cause, score.raw) for score in scores] == [
        (1.0, None, "Yes"),
        (0.0, None, "no"),
        (None, "unparsable", "perhaps"),
        (None, "absent_in_file", ""),
    ]


def test_a_reason_stands_beside_its_score(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,m,why", "?,4,fits well", "?,,429 too many requests", "?,3,")
    found = Read(path, mapped('q = "question"\nm = "metric"\nwhy = { role = "reason", of = "m" }'))
    first, second = found.samples[0].verdicts[0], found.samples[1].verdicts[0]
    assert (first.value, first.reasoning) == (4.0, "fits well")
    # no score, and the error where the reason should be: the file says why
    assert (second.value, second.cause, second.reasoning) == (
        None,
        "reported_by_file",
        "429 too many requests",
    )
    assert found.samples[2].scores[0].value == 3.0


def test_decimal_commas_become_points_and_the_text_is_kept(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q;m;t;l", "?;0,75;1,5;x", "?;1;2;y")
    columns = 'q = "question"\nm = "metric"\nt = "latency"'
    found = Read(path, mapped(columns))
    verdict = found.samples[0].verdicts[0]
    assert (verdict.value, verdict.raw) == (0.75, "0,75")
    assert found.samples[1].scores[0].value == 1.0
    assert [s.latency for s in found.samples] == [1.5, 2.0]


@pytest.mark.parametrize(
    ("error", "success", "value", "cause"),
    [
        ("timed out", "False", None, "reported_by_file"),  # the row itself says that it failed
        ("timed out", "", None, "reported_by_file"),
        ("", "False", 0.0, None),  # below a threshold: 0.0 stays a value
        ("a warning", "True", 0.0, None),
        ("None", "False", 0.0, None),
    ],
)
def test_the_state_of_the_row_decides_about_its_scores(
    tmp_path: Path, error: str, success: str, value: float | None, cause: str | None
) -> None:
    path = csv_of(tmp_path, "q,m,e,ok", f"?,0.0,{error},{success}")
    columns = 'q = "question"\nm = "metric"\ne = "error"\nok = "success"'
    sample = Read(path, mapped(columns)).only
    score = (sample.verdicts or sample.scores)[0]
    assert (score.value, score.cause) == (value, cause)
    assert score.raw == (None if cause is None else "0.0")


def test_scores_in_an_object_are_found_by_their_key(tmp_path: Path) -> None:
    rows = [{"q": "?", "s": {"f1": 0.5, "em": 0}}, {"q": "?", "s": "{'f1': 1, 'em': None}"}]
    columns = 'q = "question"\n"s.f1" = { role = "metric", name = "f1" }\n"s.em" = "metric"'
    found = Read(rows_of(tmp_path, rows), mapped(columns))
    assert [[(x.metric, x.value) for x in s.scores] for s in found.samples] == [
        [("f1", 0.5), ("s.em", 0.0)],
        [("f1", 1.0)],
    ]


def test_printed_metric_results_give_value_and_reason(tmp_path: Path) -> None:
    rows = [
        {"q": "?", "m": 'MetricResult(value=0.5, reason="it\'s half")'},
        {"q": "?", "m": {"value": 1, "reason": "whole"}},
        {"q": "?", "m": "MetricResult(value=None, reason='no claims')"},
    ]
    found = Read(rows_of(tmp_path, rows), mapped('q = "question"\nm = "metric"'))
    assert [(v.value, v.reasoning) for s in found.samples for v in s.verdicts] == [
        (0.5, "it's half"),
        (1.0, "whole"),
        (None, "no claims"),
    ]


# --- labels ---------------------------------------------------------------------------------------


def test_a_label_knows_its_positive_value_and_keeps_the_word(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,l", "?,PASS", "?,fail", "?,", "?,n/a", "?,Pass")
    columns = 'q = "question"\nl = { role = "label", name = "correct", positive = "pass" }'
    found = Read(path, mapped(columns))
    labels = [[(h.criterion, h.value, h.category, h.rater) for h in s.human_labels]
              for s in found.samples]  # fmt: skip
    assert labels == [
        [("correct", 1.0, "PASS", "file")],
        [("correct", 0.0, "fail", "file")],
        [],
        [],
        [("correct", 1.0, "Pass", "file")],
    ]


def test_one_column_may_be_two_labels(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,l", "?,Correct", "?,Refusal", "?,Wrong")
    columns = (
        'q = "question"\nl = [{ role = "label", name = "correct", positive = "Correct" }, '
        '{ role = "label", name = "refused", positive = "Refusal" }]'
    )
    found = Read(path, mapped(columns))
    assert [[h.value for h in s.human_labels] for s in found.samples] == [[1, 0], [0, 1], [0, 0]]


def test_a_label_without_a_positive_value_stays_what_it_is(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,l", "?,good", "?,3", "?,yes")
    found = Read(path, mapped('q = "question"\nl = "label"'))
    assert [(s.labels[0].value, s.labels[0].category) for s in found.samples] == [
        (None, "good"),
        (3.0, None),
        (1.0, "yes"),
    ]


def test_words_of_a_label_may_be_grades(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,l", "?,good", "?,so so", "?,odd")
    columns = 'q = "question"\nl = { role = "label", values = { good = 2, "so so" = 1 } }'
    found = Read(path, mapped(columns))
    assert [(s.human_labels[0].value, s.human_labels[0].category) for s in found.samples] == [
        (2.0, "good"),
        (1.0, "so so"),
        (None, "odd"),
    ]


_RATED = 'i = "sample_id"\nq = "question"\na = "answer"\nl = { role = "label", rater = "who" }'


def test_rows_of_several_raters_are_one_sample_wherever_they_stand(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path, "i,q,a,l,who",
        "s1,One?,A.,1,ann", "s2,Two?,B.,0,ann", "s1,One?,A.,0,ben", "s2,Two?,,0,ben",
    )  # fmt: skip
    found = Read(path, mapped(_RATED))
    assert [(s.sample_id, s.question, s.answer) for s in found.samples] == [
        ("s1", "One?", "A."),
        ("s2", "Two?", "B."),
    ]
    assert [[h.value for h in s.human_labels] for s in found.samples] == [[1, 0], [0, 0]]
    assert len({h.rater for s in found.samples for h in s.human_labels}) == 2
    assert found.problems == []


def test_contexts_that_every_rater_repeats_are_kept_once(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "i,q,a,l,who,c", "s1,One?,A.,1,ann,x", "s1,One?,A.,0,ben,x")
    columns = f'{_RATED}\nc = {{ role = "contexts", list = "text" }}'
    found = Read(path, mapped(columns))
    assert [[c.text for c in s.contexts or ()] for s in found.samples] == [["x"]]


def test_scores_that_differ_between_raters_are_told(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "i,q,a,l,who,m", "s1,One?,A.,1,ann,0.5", "s1,One?,A.,0,ben,1")
    found = Read(path, mapped(f'{_RATED}\nm = {{ role = "metric", lo = 0, hi = 1 }}'))
    assert [[score.value for score in s.scores] for s in found.samples] == [[0.5]]
    (n,) = [n for text, n in found.notices.items() if "different values of m" in text]
    assert n == 1


def test_raters_of_different_answers_are_not_put_together(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "i,q,a,l,who", "s1,One?,A.,1,ann", "s1,One?,B.,0,ben")
    found = Read(path, mapped(_RATED))
    ((row, problem),) = [(p.row, p.problem) for p in found.problems]
    assert row == 2
    assert problem.startswith("sample_id 's1' has another answer than in row 1")


def test_raters_are_stored_as_pseudonyms(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,l,who", "?,1,first@example.org", "?,0,second", "?,1,second")
    found = Read(path, mapped('q = "question"\nl = { role = "label", rater = "who" }'))
    raters = [s.human_labels[0].rater for s in found.samples]
    assert raters[0] != raters[1] == raters[2]
    assert all(rater.startswith("rater-") for rater in raters)
    # the person's name is in no field of the sample
    assert "first@example.org" not in repr(found.samples)


def test_a_label_that_judges_another_column_is_no_label_of_the_answer() -> None:
    columns = (
        'answer = "answer"\nprediction = "extra"\n'
        'l = { role = "label", name = "correct", positive = "1", target = "prediction" }'
    )
    with pytest.raises(BadInputError, match="judges the column 'prediction', but the answer is in"):
        mapped(columns)


# --- everything else ------------------------------------------------------------------------------


def test_latencies_are_in_seconds_and_failures_are_none(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,t", "?,1500", "?,-1", "?,", "?,fast")
    found = Read(path, mapped('q = "question"\nt = { role = "latency", unit = "ms" }'))
    assert [s.latency for s in found.samples] == [1.5, None, None, None]
    assert json.loads(found.samples[1].extra or "{}") == {"t": "-1"}


def test_a_cost_of_zero_is_a_cost(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,c", "?,0", "?,")
    found = Read(path, mapped('q = "question"\nc = "cost"'))
    assert [s.cost for s in found.samples] == [0.0, None]


def test_runs_are_told_apart_by_all_columns_with_that_role(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,m,e", "?,a,1", "?,b,1", "?,a,2", "?,,")
    found = Read(path, mapped('q = "question"\nm = "run"\ne = "run"', 'tool = "t"'))
    assert [s.run for s in found.samples] == ["a · 1", "b · 1", "a · 2", "file"]
    assert [(r.key, r.tool, r.dataset) for r in found.runs] == [
        ("a · 1", "t", "file"),
        ("b · 1", "t", "file"),
        ("a · 2", "t", "file"),
        ("file", "t", "file"),
    ]


def test_ids_are_texts_and_repeated_ones_get_a_number_if_the_map_says_so(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "id,q", "007,?", "7,?", "7,?", "12345678901234567890,?")
    columns = 'id = "sample_id"\nq = "question"'
    assert [s.sample_id for s in Read(path, mapped(columns)).samples] == [
        "007",
        "7",
        "7",
        "12345678901234567890",
    ]
    found = Read(path, mapped(columns, "number_repeated_ids = true"))
    assert [s.sample_id for s in found.samples][:3] == ["007", "7", "7 (2)"]
    assert found.notices["A sample id that stands there twice got a number."] == 1


def test_tags_may_have_several_values(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,t", "?,\"['a', 'b']\"", "?,plain", "?,")
    found = Read(path, mapped('q = "question"\nt = { role = "tag", name = "topic" }'))
    assert [s.tags for s in found.samples] == [
        [("topic", "a"), ("topic", "b")],
        [("topic", "plain")],
        [],
    ]


def test_columns_that_the_map_does_not_name_are_kept(tmp_path: Path) -> None:
    path = csv_of(tmp_path, ",q,x,y,z", "0,?,1,,drop", "1,?,,2,drop")
    found = Read(path, mapped('q = "question"\nz = "ignore"'))
    # the first column only counts the rows
    assert [json.loads(s.extra or "{}") for s in found.samples] == [{"x": "1"}, {"y": "2"}]


def test_a_row_that_cannot_be_stored_is_a_problem_and_the_others_stay(tmp_path: Path) -> None:
    rows = [{"q": "?", "c": [{"body": "x"}]}, {"q": "?", "c": ["y"]}]
    found = Read(rows_of(tmp_path, rows), mapped('q = "question"\nc = "contexts"'))
    assert [(p.row, "Its keys are: body" in p.problem) for p in found.problems] == [(1, True)]
    assert len(found.samples) == 1
