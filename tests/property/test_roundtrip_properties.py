"""What is exported imports to an equal run, whatever is in it and whatever the format."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.filters import PARTS
from core.model import JudgeKind, JudgeSpec
from core.store import queries, writes
from core.store.connection import Store
from core.store.judges import FILE_JUDGE, judge_id
from core.workflows.diagnosing import diagnose
from core.workflows.exporting import export, records
from core.workflows.importing import import_file
from core.workflows.review import View

NASTY = [
    "", " ", "None", "NA", "null", "nan", "-", "=1+1", "+1", "-1", "@a", "'=1", "''=1", "'quoted'",
    "\t=1", "\r", "\n", "a\r\nb", "\n=1", '"', 'a "b", c', ";", ",", "[", "[1]", '["a"]', "{}",
    "\x00", "\ud83d", "\U0001f600", "\ufeff", "\u2028", "<b>x</b>", "$1 and $2", "'", "\\u0000",
    "\\",
]  # fmt: skip
texts = st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=12))
names = texts.map(lambda text: f"n{text}")
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5), st.booleans()
)
scores = st.one_of(
    numbers, st.sampled_from([float("nan"), float("inf"), None, "", "NaN", "oops", "0.25", [1]])
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
METRICS = ["groundedness_rubric", "faithfulness", "context_relevance", "my_score", "=odd.name", ""]
CRITERIA = ["correct", "refused", "tone", "[x]"]
JUDGES = [
    {"kind": "imported", "model": "file", "params": {}},
    {"kind": "imported", "model": "other-tool", "params": {"threshold": 0.5}},
    {"kind": "llm", "model": "m-1", "prompt_id": "g-1", "prompt_sha256": "a" * 64, "params": {}},
    {"kind": "llm", "model": "m-1", "prompt_id": "g-1", "prompt_sha256": "b" * 64, "params": {}},
    {"kind": "offline", "model": "lexical-v0", "params": {"n": [1, "é"]}},
]
times = st.datetimes().map(lambda time: f"{time.isoformat()}Z")


@st.composite
def context(draw: st.DrawFn) -> Any:
    if draw(st.booleans()):
        return draw(texts)
    found: dict[str, Any] = {
        draw(st.sampled_from(["text", "content", "page_content"])): draw(texts)
    }
    if draw(st.booleans()):
        found["doc_id"] = draw(st.one_of(names, st.integers(0, 10**20)))
    if draw(st.booleans()):
        found["score"] = draw(st.one_of(numbers, st.none(), st.just("high")))
    if draw(st.booleans()):
        found["metadata"] = draw(json_values)
    if draw(st.booleans()):
        found["page"] = draw(json_values)
    return found


@st.composite
def verdict(draw: st.DrawFn) -> dict[str, Any]:
    found: dict[str, Any] = {
        "metric": draw(st.sampled_from(METRICS)),
        "judge": draw(st.sampled_from(JUDGES)),
        "repeat": draw(st.integers(0, 2)),
        "status": draw(st.sampled_from(["value", "not_applicable", "error"])),
        "judged_at": draw(times),
    }
    if found["status"] == "value":
        found["value"] = draw(numbers)
    else:
        found["cause"] = draw(st.sampled_from(["no_claims", "timeout", "refusal"]))
    optional = {
        "reasoning": texts, "raw": texts, "detail": st.dictionaries(texts, json_values, max_size=2),
        "context_rank": st.integers(1, 3), "latency": numbers, "cost": numbers,
        "tokens": st.integers(0, 10**12),
    }  # fmt: skip
    for key, values in optional.items():
        if draw(st.booleans()):
            found[key] = draw(values)
    return found


@st.composite
def human_label(draw: st.DrawFn) -> dict[str, Any]:
    found: dict[str, Any] = {
        "criterion": draw(st.sampled_from(CRITERIA)),
        "rater": draw(st.sampled_from(["file", "rater 1", "=rater", "Zoë"])),
        "labelled_at": draw(times),
    }
    optional = {
        "value": st.one_of(numbers, st.sampled_from(["yes", "fair"])), "category": names,
        "note": texts, "tags": st.lists(names, max_size=2), "blind": st.booleans(),
        "rubric": names, "context_rank": st.integers(1, 3),
    }  # fmt: skip
    for key, values in optional.items():
        if draw(st.booleans()):
            found[key] = draw(values)
    return found


@st.composite
def sample(draw: st.DrawFn, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {"run": "r", "question": draw(texts), "answer": draw(texts)}
    if draw(st.booleans()):
        found["sample_id"] = f"{number}{draw(texts)}"
    optional = {
        "reference": st.one_of(st.none(), texts, st.lists(texts, max_size=3)),
        "contexts": st.one_of(st.none(), st.lists(context(), max_size=3)),
        "gold_doc_ids": st.lists(st.one_of(names, st.lists(names, max_size=2)), max_size=3),
        "gold": st.lists(
            st.fixed_dictionaries({"text": texts}, optional={"grade": numbers}), max_size=2
        ),
        "scores": st.dictionaries(st.sampled_from(METRICS), scores),
        "labels": st.dictionaries(
            st.sampled_from(CRITERIA),
            st.one_of(numbers, st.sampled_from(["yes", "fair", "n/a"]), texts),
        ),
        "tags": st.dictionaries(names, st.one_of(texts, st.lists(texts, max_size=3)), max_size=2),
        "history": json_values,
        "latency": st.one_of(numbers, st.just("fast")),
        "cost": numbers,
        "error": texts,
        "extra": json_values,
        "unknown key": json_values,
        "verdicts": st.lists(verdict(), max_size=4),
        "human_labels": st.lists(human_label(), max_size=3),
        "label_parts": st.dictionaries(st.sampled_from(CRITERIA), st.sampled_from(PARTS)),
    }  # fmt: skip
    for key, values in optional.items():
        if draw(st.booleans()):
            found[key] = draw(values)
    return found


run_infos = st.fixed_dictionaries(
    {},
    optional={
        "name": names,
        "tool": texts,
        "created_at": times,
        "config": st.dictionaries(texts, json_values, max_size=2),
        "note": texts,
        "splits": st.dictionaries(
            st.sampled_from(CRITERIA),
            st.fixed_dictionaries({"seed": st.integers(0, 9), "is_test_open": st.booleans()}),
        ),
        "metrics": st.dictionaries(
            st.sampled_from(METRICS),
            st.sampled_from([
                {"lo": 0, "hi": 1, "direction": "higher", "cut": 0.5},
                {"lo": 0, "hi": 10, "direction": "lower", "cut": None},
                {"lo": None, "hi": None, "direction": "lower", "cut": None},
            ]),
        ),
    },
)  # fmt: skip


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    found = [draw(sample(number)) for number in range(draw(st.integers(1, 4)))]
    if draw(st.booleans()):
        found[0]["run_info"] = draw(run_infos)
    return found


@contextmanager
def new_store(empty: Path) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.duckdb"
        shutil.copy(empty, path)
        yield Store(path)


def set_choices(store: Store, run_id: str) -> None:
    """What can only be set here: a cut and a selection."""
    llm = judge_id(JudgeSpec(JudgeKind.LLM, "m-1", prompt_id="g-1", prompt_sha256="a" * 64))
    with store.writing() as connection:
        known = {row["judge_id"] for row in queries.judges(connection)}
        writes.set_threshold(connection, run_id, "faithfulness", judge_id(FILE_JUDGE), 0.55)
        if llm in known:
            writes.set_choice(connection, run_id, "groundedness", "groundedness_rubric", llm)


CONTENT = {
    "run": "select name, dataset, tool, tool_version, created_at, n_samples, has_contexts, "
    "has_answers, config, note from run",
    "sample": "select position, sample_id, is_generated_id, question, answer, reference_texts, "
    "is_contexts_recorded, history, latency, cost, error, extra from sample order by position",
    "tag": "select position, name, value from tag order by all",
    "context": "select position, rank, doc_id, text, score, metadata from context order by all",
    "gold": "select position, n, doc_id, text, grade, gold_group from gold order by position, n",
    # The order in which verdicts of one judge about one thing were made decides which counts.
    "verdict": "select position, metric, verdict.judge_id, repeat, context_rank, "
    "row_number() over (partition by position, metric, verdict.judge_id order by verdict_no) as n, "
    "status, value, cause, reasoning, detail, raw, latency, cost, tokens, "
    "case when model <> 'file' then judged_at end as judged_at "
    "from verdict inner join judge using (judge_id) order by all",
    "judge": "select * from judge where judge_id in (select judge_id from verdict) order by all",
    "label": "select position, criterion, rater, "
    "row_number() over (partition by position, criterion, rater order by label_no) as n, "
    "context_rank, value, category, note, tags, rubric, is_blind, "
    "case when rater <> 'file' then labelled_at end as labelled_at from label order by all",
    "label_part": "select position, criterion, part, seed from label_part order by all",
    "run_metric": "select metric, lo, hi, direction, cut from run_metric order by all",
    "selection": "select axis, metric, judge_id from selection order by all",
    "threshold": "select metric, judge_id, cut from threshold order by all",
    "wide": "select * exclude (run_id) from wide order by position",
    "wide_selection": "select * exclude (run_id) from wide_selection order by all",
}


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.reading() as connection:
        return {name: connection.execute(query).fetchall() for name, query in CONTENT.items()}


def diagnosis(store: Store) -> dict[str, Any]:
    with store.reading() as connection:
        (run,) = queries.runs(connection)
    found = diagnose(store, run.run_id, View(), samples=True)
    return {key: value for key, value in found.items() if key != "run_id"}


@settings(max_examples=8)  # each is two imports, an export and two diagnoses
@given(run=runs(), ending=st.sampled_from([".jsonl", ".csv", ".parquet"]))
def test_export_imports_to_an_equal_run(
    empty_store_file: Path, run: list[dict[str, Any]], ending: str
) -> None:
    with new_store(empty_store_file) as store, new_store(empty_store_file) as second:
        file = store.path.with_name("results.jsonl")
        # With its default settings json escapes surrogates and writes NaN, as tools do.
        file.write_text("\n".join(map(json.dumps, run)), encoding="ascii")
        report = import_file(store, file)
        assert report.is_stored, report.problems
        run_id = report.runs[0].run_id
        set_choices(store, run_id)
        exported = store.path.with_name(f"export{ending}")

        assert export(store, run_id, View(), exported) == len(run)
        again = import_file(second, exported)

        assert again.is_stored, again.problems
        assert content(second) == content(store)
        found = list(records(store, run_id, View()))
        assert list(records(second, again.runs[0].run_id, View())) == found
        if ending == ".jsonl":
            # B14: strict JSON, one object a line whatever the texts hold.
            lines = exported.read_text(encoding="utf-8").split("\n")[:-1]
            assert [json.loads(line, parse_constant=refuse) for line in lines] == found
        # Last, because it compares answers first, and notes when.
        assert diagnosis(second) == diagnosis(store)


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")
