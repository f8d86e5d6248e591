"""The hit rule of a run: the reference and medical terms, audited, undone, killed half-way."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.filters import from_terms
from core.metrics.hit_rule import PLAIN, HitRule
from core.model import Flag
from core.store.connection import Store
from core.workflows import hit_jobs, review
from core.workflows.deriving import derive, n_underived
from core.workflows.diagnosing import diagnose
from core.workflows.hit_rules import (
    TERMS_VARIABLE,
    apply_rule,
    hit_rule_state,
    is_outdated,
    rule_of,
    terms_path,
    wanted_rule,
)
from core.workflows.importing import Options, import_file
from core.workflows.retrieving import retrieval
from core.workflows.setup import ensure_store

# a: found by the same words; b: only once HTN is written out; c: never; d: no gold, but its
# reference stands in the context; e: no gold and its reference stands nowhere.
ROWS = [
    ("a", "Avoid in pregnancy.", "avoid in pregnancy", None),
    ("b", "Avoid in HTN.", "avoid in hypertension", None),
    ("c", "Something else.", "avoid in pregnancy", None),
    ("d", "The dose is two tablets daily.", None, "two tablets daily"),
    ("e", "Nothing of the kind.", None, "two tablets daily"),
]


def rows() -> list[dict]:
    return [
        {
            "sample_id": name,
            "question": f"Question {name}?",
            "answer": "Yes.",
            "contexts": [{"text": text}],
            **({"gold": [{"text": gold}]} if gold else {}),
            **({"reference": reference} if reference else {}),
        }
        for name, text, gold, reference in ROWS
    ]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.delenv(TERMS_VARIABLE, raising=False)
    made, _ = ensure_store(tmp_path / "store.duckdb")
    put(made, tmp_path / "medical.jsonl", rows())
    return made


def put(store: Store, file: Path, samples: list[dict]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in samples), encoding="utf-8")
    report = import_file(store, file, Options())
    assert report.is_stored, report.problems


def run_id_of(store: Store) -> str:
    with store.reading() as connection:
        return str(connection.execute("select run_id from run").fetchall()[0][0])


def ids(store: Store, *terms: str, hit_share: float = 0.0) -> set[str]:
    view = review.View(wanted=from_terms(terms), hit_share=hit_share)
    with review.matched(store, run_id_of(store), view) as (connection, _):
        return {row[0] for row in connection.execute("select sample_id from matched").fetchall()}


def set_rule(store: Store, *, reference: bool = False, terms: bool = False) -> None:
    apply_rule(
        store, run_id_of(store), wanted_rule(store, use_reference=reference, use_terms=terms)
    )


def test_off_by_default(store: Store) -> None:
    derive(store, "medical")
    assert rule_of(store, "medical") == PLAIN
    assert ids(store, "hit=hit") == {"a"}
    assert ids(store, "hit=undefined") == {"d", "e"}
    state = hit_rule_state(store, "medical", review.View())
    assert state.effect is None
    assert state.n_without_gold == 2


def test_medical_terms_gain_a_hit_and_the_effect_is_shown(store: Store) -> None:
    set_rule(store, terms=True)
    assert ids(store, "hit=hit") == {"a", "b"}
    assert ids(store, "hit_change=gained") == {"b"}
    assert ids(store, "hit_change=lost") == set()
    effect = hit_rule_state(store, "medical", review.View()).effect
    assert effect is not None
    # 1 of 3 and 2 of 3 samples with gold; both 1, gained 1, lost 0, neither 1
    assert (effect.before.k, effect.after.k, effect.before.n) == (1, 2, 3)
    assert (effect.n_gained, effect.n_lost, effect.n_assessed) == (1, 0, 0)
    assert effect.change is not None
    assert effect.change.value == pytest.approx(1 / 3)
    assert effect.change.low < 1 / 3 < effect.change.high
    figures = retrieval(store, "medical", review.View()).figures
    assert (figures.hit_at_k[1].k, figures.n) == (2, 3)


def test_the_reference_assesses_samples_without_gold_and_flags_them(store: Store) -> None:
    set_rule(store, reference=True)
    assert ids(store, "hit=hit") == {"a", "d"}
    assert ids(store, "hit=undefined") == set()
    assert ids(store, "hit_change=assessed") == {"d", "e"}
    assert ids(store, "flag=proxy_hit") == {"d", "e"}
    found = diagnose(store, "medical", review.View(), samples=True)
    assert found["flags"]["proxy_hit"] == 2
    flagged = {row["sample_id"] for row in found["samples"] if "proxy_hit" in row["flags"]}
    assert flagged == {"d", "e"}
    effect = hit_rule_state(store, "medical", review.View()).effect
    assert effect is not None
    assert (effect.n_assessed, effect.assessed.k) == (2, 1)
    assert Flag("proxy_hit") is Flag.PROXY_HIT


def test_going_back_restores_every_hit_and_forgets_nothing(store: Store) -> None:
    derive(store, "medical")
    before = diagnose(store, "medical", review.View())
    set_rule(store, reference=True, terms=True)
    set_rule(store)
    assert diagnose(store, "medical", review.View()) == before
    assert ids(store, "hit_change=gained") == set()
    with store.reading() as connection:
        kept = connection.execute("select rule from hit_rule order by rule_no").fetchall()
        logged = connection.execute(
            "select old_value, new_value from audit where action = 'hit rule' order by audit_no"
        ).fetchall()
        rules = connection.execute("select distinct rule from sample_hits").fetchall()
    assert kept[0][0].startswith("reference+terms:")
    assert kept[1] == ("",)
    assert len(logged) == 2
    assert "medical_terms.toml" in logged[0][1]
    assert logged[1] == (logged[0][1], "gold evidence")
    assert rules == [("",)]


def test_setting_the_same_rule_again_changes_nothing(store: Store) -> None:
    set_rule(store, terms=True)
    with store.reading() as connection:
        before = connection.execute("select data_version from run").fetchall()
    set_rule(store, terms=True)
    with store.reading() as connection:
        assert connection.execute("select data_version from run").fetchall() == before
        assert connection.execute("select count(*) from hit_rule").fetchall() == [(1,)]


def test_appended_samples_are_compared_by_the_words_of_the_rule(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[abbreviations]\nXYZ = "hypertension"\n', encoding="utf-8")
    monkeypatch.setenv(TERMS_VARIABLE, str(own))
    set_rule(store, terms=True)
    own.unlink()
    more = tmp_path / "more.jsonl"
    row = {
        "sample_id": "f",
        "question": "F?",
        "answer": "Yes.",
        "contexts": [{"text": "Avoid in XYZ."}],
        "gold": [{"text": "avoid in hypertension"}],
    }
    more.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert import_file(store, more, Options(append_to="medical")).is_stored
    assert n_underived(store, "medical") == 1
    derive(store, "medical")
    assert ids(store, "hit=hit") == {"a", "f"}
    assert ids(store, "hit_change=gained") == {"f"}
    assert is_outdated(store, rule_of(store, "medical"))


def test_own_table_by_variable_or_beside_the_store(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert terms_path(store).parent != store.path.parent
    beside = store.path.parent / "medical_terms.toml"
    beside.write_text('[abbreviations]\nHTN = "hypertension"\n', encoding="utf-8")
    assert terms_path(store) == beside
    named = tmp_path / "named.toml"
    monkeypatch.setenv(TERMS_VARIABLE, str(named))
    assert terms_path(store) == named
    with pytest.raises(BadInputError, match=r"named\.toml cannot be read: No such file"):
        wanted_rule(store, use_reference=False, use_terms=True)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"abbreviations = 3", r"own\.toml: \[abbreviations\] must be a table"),
        (b"[abbreviation]\nA = 'b'", r"own\.toml: \[abbreviation\] is none of abbreviations"),
        (b"[abbreviations]\nA = ", r"own\.toml cannot be read"),
        (b"[words]\nfemale = 'woman'", r"own\.toml: words\.female must be a list of texts"),
        (b"\xff\xfe", r"own\.toml cannot be read: it is no UTF-8 text"),
    ],
)
def test_a_wrong_table_is_named_and_changes_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, words: str
) -> None:
    own = tmp_path / "own.toml"
    own.write_bytes(content)
    monkeypatch.setenv(TERMS_VARIABLE, str(own))
    with pytest.raises(BadInputError, match=words):
        set_rule(store, terms=True)
    with pytest.raises(BadInputError, match=words):
        hit_jobs.start(store, run_id_of(store), use_reference=False, use_terms=True)
    assert rule_of(store, "medical") == PLAIN


def test_policy_counts_in_the_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TERMS_VARIABLE, raising=False)
    store, _ = ensure_store(tmp_path / "store.duckdb")
    row = {
        "sample_id": "two",
        "question": "Two?",
        "answer": "Yes.",
        "contexts": [{"text": "Avoid in pregnancy."}, {"text": "Avoid in HTN."}],
        "gold": [{"text": "avoid in pregnancy"}, {"text": "avoid in hypertension"}],
    }
    put(store, tmp_path / "two.jsonl", [row])
    set_rule(store, terms=True)
    # One of two pieces by plain words, both by the rule: a gain only where all are asked for.
    assert ids(store, "hit_change=gained") == set()
    assert ids(store, "hit_change=gained", hit_share=1.0) == {"two"}


def test_worker_reports_and_sets_the_rule(store: Store) -> None:
    run_id = run_id_of(store)
    job = hit_jobs.start(store, run_id, use_reference=True, use_terms=True)
    end = time.monotonic() + 60
    while (found := hit_jobs.newest(store, run_id)) is not None and found.is_active:
        assert time.monotonic() < end, "the worker does not end"
        time.sleep(0.05)
    assert found is not None
    assert (found.job_id, found.state, found.done, found.total) == (job.job_id, "done", 5, 5)
    assert rule_of(store, run_id).use_reference
    assert ids(store, "hit=hit") == {"a", "b", "d"}


_KILLED = """
import os, signal, sys
from core.store.connection import Store
from core.workflows import deriving
from core.workflows.hit_rules import apply_rule, wanted_rule

deriving._BATCH = 2
store = Store(sys.argv[1])
rule = wanted_rule(store, use_reference=True, use_terms=True)

def progress(done, total):
    os.kill(os.getpid(), signal.SIGKILL)

apply_rule(store, sys.argv[2], rule, progress)
"""


def test_a_killed_worker_leaves_the_old_rule_and_whole_batches(store: Store) -> None:
    derive(store, "medical")
    before = diagnose(store, "medical", review.View())
    run_id = run_id_of(store)
    arguments = [sys.executable, "-c", _KILLED, str(store.path), run_id]
    root = Path(__file__).parents[2]
    ended = subprocess.run(arguments, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    assert ended.returncode == -signal.SIGKILL
    assert rule_of(store, run_id) == PLAIN
    assert diagnose(store, "medical", review.View()) == before
    rule = wanted_rule(store, use_reference=True, use_terms=True)
    with store.reading() as connection:
        kept = connection.execute(
            "select count(*) from sample_hits where rule = ?", [rule.key]
        ).fetchall()
    assert kept == [(2,)]
    seen: list[tuple[int, int]] = []
    apply_rule(store, run_id, rule, lambda done, total: seen.append((done, total)))
    assert seen == [(3, 3)]
    assert ids(store, "hit=hit") == {"a", "b", "d"}


def test_deleting_a_run_takes_its_rule_along(store: Store) -> None:
    from core.store import writes

    set_rule(store, terms=True)
    with store.writing() as connection:
        writes.delete_run(connection, run_id_of_open(connection))
    with store.reading() as connection:
        assert connection.execute("select count(*) from hit_rule").fetchall() == [(0,)]


def run_id_of_open(connection: object) -> str:
    return str(connection.execute("select run_id from run").fetchall()[0][0])  # type: ignore[attr-defined]


def test_name_of_a_rule_says_its_words() -> None:
    one, other = HitRule(terms="[words]\n", terms_name="x.toml"), HitRule(terms="", terms_name="x")
    assert one.key != other.key
    assert one.key.startswith("terms:")
    assert HitRule(terms="[words]\n", terms_name="y.toml").key == one.key
