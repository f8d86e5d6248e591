"""Maps as files: what is read, what is refused, and that a saved map is read back unchanged."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInputError
from core.ingest import mapping_toml
from core.ingest.mapped import MappedImporter
from core.ingest.mapping import LIST_WAYS, Mapping, Role, Use
from core.ingest.mapping_toml import dumps, loads
from core.ingest.table_base import Hints
from core.model import Direction
from core.records import Notices


def test_a_map_that_names_a_missing_column_says_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("question,answer\n?,!\n")
    mapping = loads('[columns]\nquesion = "question"\nanswer = "answer"')
    with pytest.raises(BadInputError) as caught:
        list(MappedImporter(mapping).read(path, Notices(), "file"))
    assert str(caught.value) == (
        "The map names the columns 'quesion', which file.csv has not. Did you mean 'question'? "
        "Its columns are: question, answer."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[columns]", "nothing in it is a sample"),
        ('[columns]\na = "answer"\nb = "answer"', "only one can have it"),
        ('[columns]\na = "nonsense"', "roles are run"),
        ('[columns]\na = {role = "metric", lo = 1, hi = 1}', "scale from 1 to 1 is empty"),
        ('[columns]\na = {role = "metric", low = 1}', "no key 'low'"),
        ('[columns]\na = {role = "metric", lo = "x"}', "must be a number"),
        ('[columns]\na = {role = "metric", direction = "up"}', "higher or lower"),
        ('[columns]\na = {role = "contexts", list = "magic"}\nq = "question"', "not 'magic'"),
        ('[columns]\na = {role = "contexts", list = "separator"}\nq = "question"', "its separator"),
        ('[columns]\na = {role = "reason", of = "m"}\nq = "question"', "no metric of the map"),
        ('[columns]\na = {role = "latency", unit = "h"}\nq = "question"', "s or ms"),
        ('join = "question"\n[columns]\na = "metric"', "needs a column with that role"),
        ('join = "place"\n[columns]\na = "metric"', "sample_id or question"),
        ("version = 2\n[columns]", "this program reads 1"),
        ('colums = 1\n[columns]\na = "answer"', "no key 'colums'"),
        ("columns = [", "no TOML"),
        ('[columns]\na = {role = "metric", name = "m"}\nb = {role = "metric", name = "m"}',
         "Two columns"),
    ],
)  # fmt: skip
def test_what_is_no_map_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        loads(text)


def test_a_map_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no map"):
        mapping_toml.load(tmp_path / "none.toml")


_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
_NUMBERS = st.floats(-1e6, 1e6)
_USES = st.one_of(
    st.builds(
        Use,
        st.just(Role.METRIC),
        name=st.none() | _NAMES,
        lo=st.none() | st.floats(-9, 0),
        hi=st.none() | st.floats(1, 9),
        direction=st.sampled_from(Direction),
        cut=st.none() | _NUMBERS,
        values=st.dictionaries(_NAMES, _NUMBERS, max_size=2),
    ),
    st.builds(
        Use,
        st.sampled_from([Role.LABEL, Role.TAG, Role.GOLD, Role.EXTRA]),
        name=st.none() | _NAMES,
        lists=st.sampled_from([way for way in LIST_WAYS if way != "separator"]),
        positive=st.none() | _NAMES,
        rater=st.none() | _NAMES,
        unit=st.sampled_from(["s", "ms"]),
        is_optional=st.booleans(),
    ),
)


@given(
    st.dictionaries(_NAMES, st.lists(_USES, min_size=1, max_size=2).map(tuple), max_size=4),
    st.builds(Hints, st.none() | _NAMES, st.none() | _NAMES, st.booleans()),
    st.none() | _NAMES,
    st.booleans(),
)
def test_a_saved_map_is_read_back_unchanged(
    columns: dict[str, tuple[Use, ...]], hints: Hints, tool: str | None, flag: bool
) -> None:
    columns["question"] = (Use(Role.QUESTION),)
    mapping = Mapping(columns, tool=tool, hints=hints, numbers_repeated_ids=flag, note=tool)
    try:
        mapping.check()
    except BadInputError:
        return  # two columns with one metric name
    assert loads(dumps(mapping)) == mapping


def test_the_map_of_the_readme_is_one() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert loads(text).columns["query"] == (Use(Role.QUESTION),)
    for role in Role:
        assert f"`{role.value}`" in readme
