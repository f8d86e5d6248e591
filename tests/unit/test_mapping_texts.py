"""The mapper: questions, answers, references, contexts and gold."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

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


# --- texts ----------------------------------------------------------------------------------------


def test_texts_are_taken_verbatim(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,a,r", "007,None,NA", "=1+1,null,[1]", ",,")
    found = Read(path, mapped('q = "question"\na = "answer"\nr = "reference"'))
    assert [(s.question, s.answer, s.references) for s in found.samples] == [
        ("007", "None", ["NA"]),
        ("=1+1", "null", ["[1]"]),
    ]


@pytest.mark.parametrize(
    ("cell", "references"),
    [
        ('["x"]', ["x"]),
        ("['x', 'y']", ["x", "y"]),
        ("plain", ["plain"]),
        ("[1, 2]", ["[1, 2]"]),
        ("'quoted'", ["'quoted'"]),
    ],
)
def test_references_are_several_only_if_the_cell_is_a_list_of_texts(
    tmp_path: Path, cell: str, references: list[str]
) -> None:
    path = rows_of(tmp_path, [{"q": "?", "r": cell}])
    found = Read(path, mapped('q = "question"\nr = "reference"'))
    assert found.only.references == references


def test_a_reference_that_is_a_number_in_json_is_its_text(tmp_path: Path) -> None:
    path = rows_of(tmp_path, [{"q": "?", "r": 8.7}, {"q": "?", "r": 1577}])
    found = Read(path, mapped('q = "question"\nr = "reference"'))
    assert [s.references for s in found.samples] == [["8.7"], ["1577"]]


def test_a_conversation_gives_its_last_human_turn_as_question(tmp_path: Path) -> None:
    turns = [
        {"type": "human", "content": "Do you ship?"},
        {"type": "ai", "content": "Yes."},
        {"type": "human", "content": "Where?"},
        {"type": "ai", "content": "Everywhere."},
    ]
    path = rows_of(tmp_path, [{"q": turns}, {"q": str(turns[:3])}])
    found = Read(path, mapped('q = "question"'))
    earlier = json.dumps(["human: Do you ship?", "ai: Yes."])
    assert [(s.question, s.answer, s.history) for s in found.samples] == [
        ("Where?", "Everywhere.", earlier),
        ("Where?", "", earlier),
    ]


def test_answers_that_were_cut_are_tagged(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,a", "?,It begins and then...", "?,It ends.")
    found = Read(path, mapped('q = "question"\na = "answer"'))
    assert [s.tags for s in found.samples] == [[("truncated", "answer")], []]


# --- contexts and gold ----------------------------------------------------------------------------


def test_contexts_of_several_columns_follow_each_other(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,c1,c2,c3", "?,first,,third", "?,,,")
    columns = 'q = "question"\n' + "\n".join(
        f'c{n} = {{ role = "contexts", list = "text" }}' for n in (1, 2, 3)
    )
    found = Read(path, mapped(columns))
    assert [c.text for c in found.samples[0].contexts or ()] == ["first", "third"]
    assert found.samples[1].contexts is None  # empty cells: not recorded


def test_ids_join_contexts_of_the_same_number_and_never_others(tmp_path: Path) -> None:
    rows = [
        {"q": "?", "c": ["x", "y"], "i": ["d1", 2]},
        {"q": "?", "c": ["x", "y"], "i": ["d1"]},
        {"q": "?", "i": ["d1", "d2"]},
    ]
    path = rows_of(tmp_path, rows)
    found = Read(path, mapped('q = "question"\nc = "contexts"\ni = "context_ids"'))
    assert [[(c.doc_id, c.text) for c in s.contexts or ()] for s in found.samples] == [
        [("d1", "x"), ("2", "y")],
        [(None, "x"), (None, "y")],
        [("d1", None), ("d2", None)],
    ]
    assert json.loads(found.samples[1].extra or "{}") == {"i": ["d1"]}
    assert any("another number of ids" in notice for notice in found.notices)


def test_gold_may_be_texts_ids_both_or_groups(tmp_path: Path) -> None:
    rows = [
        {"q": "?", "g": ["x", "y"]},
        {"q": "?", "i": [["a", "b"], ["c"]]},
        {"q": "?", "g": ["x", "y"], "i": [1, 2]},
        {"q": "?", "g": ["x", "y"], "i": [1]},
    ]
    path = rows_of(tmp_path, rows)
    found = Read(path, mapped('q = "question"\ng = "gold"\ni = "gold_ids"'))
    assert [[(g.doc_id, g.text, g.group) for g in s.gold] for s in found.samples] == [
        [(None, "x", None), (None, "y", None)],
        [("a", None, "1"), ("b", None, "1"), ("c", None, "2")],
        [("1", "x", None), ("2", "y", None)],
        [("1", None, None)],
    ]


def test_a_separator_counts_where_the_map_names_it(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "q,c", "?,one|two")
    columns = 'q = "question"\nc = { role = "contexts", list = "separator", separator = "|" }'
    assert [c.text for c in Read(path, mapped(columns)).only.contexts or ()] == ["one", "two"]


def test_rows_with_one_context_each_become_one_sample(tmp_path: Path) -> None:
    path = csv_of(
        tmp_path,
        "id,q,p,n,a,s",
        "1,why?,x,[1],because,0.5",
        "1,why?,y,[2],,0.5",
        "2,how?,z,[1],so,1",
    )
    columns = (
        'id = "sample_id"\nq = "question"\np = { role = "contexts", list = "text" }\n'
        'n = { role = "context_ids", list = "text" }\na = "answer"\ns = "metric"'
    )
    found = Read(path, mapped(columns, "one_context_per_row = true"))
    assert [(s.sample_id, s.answer) for s in found.samples] == [("1", "because"), ("2", "so")]
    assert [[(c.rank, c.doc_id, c.text) for c in s.contexts or ()] for s in found.samples] == [
        [(1, "[1]", "x"), (2, "[2]", "y")],
        [(1, "[1]", "z")],
    ]
    assert [[score.value for score in s.scores] for s in found.samples] == [[0.5], [1.0]]
