"""Marks of judges and people on single contexts, believed where words find nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import BadInputError
from core.filters import from_terms
from core.metrics.hit_rule import PLAIN, Marks
from core.store.connection import Store
from core.workflows import hit_jobs, review
from core.workflows.deriving import derive
from core.workflows.hit_marks import find_marks
from core.workflows.hit_rules import (
    apply_rule,
    change_rule,
    hit_rule_state,
    marked_contexts,
    rule_of,
    wanted_rule,
)
from core.workflows.importing import Options, import_file
from core.workflows.retrieving import retrieval
from core.workflows.setup import ensure_store

JUDGE = {"kind": "llm", "model": "m1"}

# a: found by its words; b: said in other words, which the judge sees at rank 2; c: the judge sees
# nothing either; d: no gold text; e: gold ids, which marks do not touch.
ROWS: list[tuple[str, list[str], dict[str, Any], list[int]]] = [
    ("a", ["Avoid in pregnancy.", "Other."], {"gold": [{"text": "avoid in pregnancy"}]}, [1, 0]),
    ("b", ["Other.", "Not for mothers to be."], {"gold": [{"text": "avoid in pregnancy"}]}, [0, 1]),
    ("c", ["Other.", "More."], {"gold": [{"text": "avoid in pregnancy"}]}, [0, 0]),
    ("d", ["Other.", "More."], {}, [1, 1]),
    ("e", ["Other.", "More."], {"gold_doc_ids": ["z"]}, [1, 1]),
]


def listed(useful: list[int], metric: str = "context_precision") -> dict[str, Any]:
    """One verdict on the sample with a list behind it, as our own judge of context precision."""
    contexts = [{"rank": rank, "useful": bool(one)} for rank, one in enumerate(useful, 1)]
    return {
        "metric": metric,
        "judge": JUDGE,
        "status": "value",
        "value": 0.5,
        "detail": {"contexts": contexts},
    }


def single(rank: int, value: int, metric: str = "has_answer") -> dict[str, Any]:
    return {
        "metric": metric,
        "judge": JUDGE,
        "status": "value",
        "value": value,
        "context_rank": rank,
    }


def row(name: str, texts: list[str], gold: dict[str, Any], useful: list[int]) -> dict[str, Any]:
    return {
        "run": "marked",
        "sample_id": name,
        "question": f"{name}?",
        "answer": "Yes.",
        "contexts": [
            {"text": text, **({"doc_id": f"{name}{rank}"} if "gold_doc_ids" in gold else {})}
            for rank, text in enumerate(texts, 1)
        ],
        **gold,
        "verdicts": [listed(useful), *(single(rank, one) for rank, one in enumerate(useful, 1))],
        "human_labels": [
            {"criterion": "useful", "rater": "r1", "value": str(one), "context_rank": rank}
            for rank, one in enumerate(useful, 1)
        ],
    }


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made, _ = ensure_store(tmp_path / "store.duckdb")
    put(made, tmp_path / "marked.jsonl", [row(*one) for one in ROWS])
    return made


def put(store: Store, file: Path, rows: list[dict[str, Any]], **options: Any) -> None:
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    report = import_file(store, file, Options(**options))
    assert report.is_stored, report.problems


def ids(store: Store, *terms: str) -> set[str]:
    view = review.View(wanted=from_terms(terms))
    with review.matched(store, "marked", view) as (connection, _):
        return {name for (name,) in connection.execute("select sample_id from matched").fetchall()}


def stages(store: Store, sample_id: str) -> list[str | None]:
    with store.reading() as connection:
        found = connection.execute(
            "select stages from sample_hits_now inner join sample using (run_id, position) "
            "where sample_id = ?",
            [sample_id],
        ).fetchall()
    return list(found[0][0])


def test_nobody_is_believed_by_default(store: Store) -> None:
    derive(store, "marked")
    assert rule_of(store, "marked") == PLAIN
    assert ids(store, "hit=hit") == {"a"}
    choices = hit_rule_state(store, "marked", review.View()).marks
    assert [one.title for one in choices] == [
        "useful · people",
        "Context precision · m1",
        "has answer · m1",
    ]


@pytest.mark.parametrize("wanted", ["context_precision", "has_answer", "useful", "useful · people"])
def test_mark_makes_a_hit_where_words_find_nothing(store: Store, wanted: str) -> None:
    change_rule(store, "marked", None, None, marks=wanted)
    assert ids(store, "hit=hit") == {"a", "b"}
    assert ids(store, "hit_change=gained") == {"b"}
    assert ids(store, "hit=undefined") == {"d"}  # a mark is no gold
    assert ids(store, "hit=miss") == {"c", "e"}
    assert stages(store, "a") == ["substring", None]
    assert stages(store, "b") == [None, "judge"]
    assert ids(store, "flag=proxy_hit") == {"b"}
    effect = hit_rule_state(store, "marked", review.View()).effect
    assert effect is not None
    # of a, b, c, e one was a hit and two are
    assert (effect.before.k, effect.after.k, effect.before.n) == (1, 2, 4)
    figures = retrieval(store, "marked", review.View()).figures
    assert (figures.hit_at_k[1].k, figures.hit_at_k[2].k, figures.n) == (1, 2, 4)


def test_going_back_restores_the_plain_hits(store: Store) -> None:
    change_rule(store, "marked", None, None, marks="useful")
    change_rule(store, "marked", None, None, marks="")
    assert rule_of(store, "marked") == PLAIN
    assert ids(store, "hit=hit") == {"a"}
    assert ids(store, "flag=proxy_hit") == set()


def test_other_parts_of_the_rule_stay(store: Store) -> None:
    change_rule(store, "marked", True, None, marks="useful")
    change_rule(store, "marked", None, True)
    rule = rule_of(store, "marked")
    assert (rule.use_reference, rule.terms_name is not None) == (True, True)
    assert rule.marks is not None
    assert rule.marks.name == "useful"
    change_rule(store, "marked", None, False)
    assert rule_of(store, "marked").marks == rule.marks


def test_newer_marks_count_when_compared_again(store: Store, tmp_path: Path) -> None:
    change_rule(store, "marked", None, None, marks="has_answer")
    old = rule_of(store, "marked").marks
    assert old is not None
    late = row("f", ["Other.", "For no mother."], {"gold": [{"text": "in pregnancy"}]}, [0, 1])
    put(store, tmp_path / "more.jsonl", [late], append_to="marked")
    derive(store, "marked")
    assert ids(store, "hit=hit") == {"a", "b"}

    newer = find_marks(store, "marked", old.key)
    assert newer.last_no > old.last_no
    change_rule(store, "marked", None, None, marks="has_answer")
    assert ids(store, "hit=hit") == {"a", "b", "f"}


def test_marks_of_a_sample_are_those_of_the_rule(store: Store) -> None:
    assert marked_contexts(store, "marked", 1) == {}
    change_rule(store, "marked", None, None, marks="context_precision")
    assert marked_contexts(store, "marked", 1) == {1: False, 2: True}


def test_lower_is_better_and_the_mean_of_several_raters_decides(
    store: Store, tmp_path: Path
) -> None:
    # rank 1: 1 and 1, mean 1; rank 2: 1 and 0, mean 1/2, below the usual cut of a score from 0 to 1
    more = {"run": "two", "sample_id": "c", "question": "c?", "answer": "Yes."}
    more |= {"contexts": [{"text": "Other."}, {"text": "More."}], "gold": [{"text": "pregnancy"}]}
    more["human_labels"] = [
        {"criterion": "useful", "rater": rater, "value": value, "context_rank": rank}
        for rater, rank, value in [("r1", 1, "1"), ("r2", 1, "1"), ("r1", 2, "1"), ("r2", 2, "0")]
    ]
    put(store, tmp_path / "two.jsonl", [more])
    marks = find_marks(store, "two", "useful")
    assert marks.cut == 0.7
    apply_rule(store, "two", wanted_rule(store, use_reference=False, use_terms=False, marks=marks))
    assert marked_contexts(store, "two", 0) == {1: True, 2: False}
    below = Marks("label", "useful", "", 0.6, -1, marks.last_no, "useful, the other way round")
    apply_rule(store, "two", wanted_rule(store, use_reference=False, use_terms=False, marks=below))
    assert marked_contexts(store, "two", 0) == {1: False, 2: True}


def test_unknown_marks_are_refused_with_those_there_are(store: Store) -> None:
    with pytest.raises(BadInputError, match=r"called 'bleu'. There are: label:useful, verdict:"):
        find_marks(store, "marked", "bleu")


def test_job_in_the_background_believes_them_too(store: Store) -> None:
    key = find_marks(store, "marked", "useful").key
    job = hit_jobs.HitJob("j1", "marked", False, False, "starting", marks=key)
    hit_jobs.jobs_folder(store).mkdir()
    hit_jobs._write(store, job)
    done = hit_jobs.work(store, "j1")
    assert done is not None
    assert (done.state, done.message) == ("done", "")
    assert ids(store, "hit=hit") == {"a", "b"}


def test_command_takes_marks_and_says_so(store: Store) -> None:
    def ran(*arguments: str) -> Any:
        return CliRunner().invoke(
            app, ["retrieval", "marked", *arguments, "--store", str(store.path)]
        )

    found = json.loads(ran("--marks", "context_precision", "--json").stdout)
    assert found["hit_at_k"]["2"]["value"] == 0.5
    assert found["hit_rule"]["marks"].startswith("verdict:context_precision@")
    assert found["hit_rule"]["effect"]["gained"] == 1
    assert "marks of Context precision · m1" in ran().stdout
    refused = ran("--marks", "nothing")
    assert refused.exit_code == 2
    assert "There are: label:useful" in refused.stderr
    found = json.loads(ran("--marks", "", "--json").stdout)
    assert "hit_rule" not in found
    assert found["hit_at_k"]["2"]["value"] == 0.25


def test_useful_contexts_by_rank_come_from_context_precision_too(store: Store) -> None:
    contexts = retrieval(store, "marked", review.View()).contexts
    by_name = {one.name: one for one in contexts.usefulness}
    # rank 1: useful for a, d, e of five; rank 2: for b, d, e
    shares = {rank: (rate.k, rate.n) for rank, rate in by_name["context_precision"].by_rank.items()}
    assert shares == {1: (3, 5), 2: (3, 5)}
