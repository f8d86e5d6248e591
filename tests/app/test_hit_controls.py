"""What counts as a hit, on the pages: policy in the address, rule of the run, its effect."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.hit_rules import TERMS_VARIABLE, apply_rule, rule_of, wanted_rule
from core.workflows.importing import Options, import_file
from core.workflows.listing import run_list

Start = Callable[..., AppTest]
Text = Callable[[AppTest], str]


@pytest.fixture
def store(store_of: Callable[[str], Store], tmp_path: Path) -> Store:
    found = store_of("empty")
    rows = [
        ("a", ["Avoid in HTN."], [{"text": "avoid in hypertension"}], None),
        ("b", ["Take two."], [{"text": "take two"}, {"text": "after meals"}], None),
        ("c", ["The dose is two tablets."], [], "two tablets"),
    ]
    file = tmp_path / "medical.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {
                    "sample_id": name,
                    "question": f"{name}?",
                    "answer": "Yes.",
                    "contexts": [{"text": text} for text in texts],
                    "gold": gold,
                    **({"reference": reference} if reference else {}),
                }
            )
            + "\n"
            for name, texts, gold, reference in rows
        ),
        encoding="utf-8",
    )
    assert import_file(found, file, Options()).is_stored
    return found


@pytest.mark.parametrize("page", ["retrieval", "context_use"])
def test_policy_of_the_address_stands_on_the_page(
    page: str, store: Store, start: Start, text_of: Text
) -> None:
    app = start(page, {"hit": "all"})
    assert not app.exception
    assert "Hits: all evidence ✕" in text_of(app)
    # By all of it b misses: half of its evidence was retrieved.
    app = start("triage", {"hit": "all", "f": ["hit=hit"]})
    assert "No sample" in text_of(app) or "no sample" in text_of(app)
    app = start("triage", {"f": ["hit=hit"]})
    assert "b?" in text_of(app)


def test_policy_is_taken_back_by_a_click(store: Store, start: Start, text_of: Text) -> None:
    app = start("retrieval", {"hit": "all"})
    assert "0 of 2 questions the first" in text_of(app)
    app.button(key="hit_policy_off").click().run()
    assert "Hits: all evidence" not in text_of(app)
    assert "1 of 2 questions the first" in text_of(app)


def test_unknown_policy_is_explained(store: Store, start: Start, text_of: Text) -> None:
    app = start("retrieval", {"hit": "most"})
    assert "The hit policy 'most' is none" in text_of(app)


def test_rule_is_switched_on_and_its_effect_opens_the_samples(
    store: Store, start: Start, text_of: Text
) -> None:
    app = start("retrieval")
    assert "Samples in view with a reference and no gold: 1" in text_of(app)
    assert app.button(key="apply_hit_rule").disabled
    for toggle in app.toggle:
        toggle.set_value(True)
    app.run()
    app.button(key="apply_hit_rule").click().run()
    rule = rule_of(store, "medical")
    assert (rule.use_reference, rule.terms_name) == (True, "medical_terms.toml")
    shown = text_of(app)
    assert "What the setting changes: Hit rate 50\u202f% → 100\u202f%" in shown
    assert "assessed by the reference: 1, of these hits 100\u202f%" in shown
    app.button(key="hit_change_gained").click().run()
    assert "Avoid in HTN." in text_of(app)
    assert "f=hit_change%3Dgained" in app.session_state["address"].query()


def test_wrong_table_is_named_on_the_page(
    store: Store, start: Start, text_of: Text, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[words]\nfemale = 'woman'\n", encoding="utf-8")
    monkeypatch.setenv(TERMS_VARIABLE, str(own))
    app = start("retrieval")
    assert "Words from own.toml" in text_of(app)
    app.toggle[1].set_value(True).run()
    app.button(key="apply_hit_rule").click().run()
    assert "own.toml: words.female must be a list of texts" in text_of(app)


def test_edited_table_is_offered_again(
    store: Store, start: Start, text_of: Text, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[abbreviations]\nHTN = "hypertension"\n', encoding="utf-8")
    monkeypatch.setenv(TERMS_VARIABLE, str(own))
    apply_rule(store, "medical", wanted_rule(store, use_reference=False, use_terms=True))
    own.write_text('[abbreviations]\nHTN = "high blood pressure"\n', encoding="utf-8")
    app = start("retrieval")
    assert "The file has changed since this run was compared" in text_of(app)
    assert not app.button(key="apply_hit_rule").disabled


def test_triage_names_why_a_context_is_a_hit(store: Store, start: Start, text_of: Text) -> None:
    apply_rule(store, "medical", wanted_rule(store, use_reference=True, use_terms=False))
    app = start("triage", {"sample": "c"})
    assert "hit: same words as the reference" in text_of(app)
    assert "Hit by proxy" in text_of(app)


def test_marks_are_offered_where_there_are_some_and_make_hits(
    store: Store, start: Start, text_of: Text, tmp_path: Path
) -> None:
    assert "believe" not in {box.label for box in start("retrieval").selectbox}
    row = {
        "run": "marked",
        "sample_id": "m",
        "question": "m?",
        "answer": "Yes.",
        "contexts": [{"text": "Said in other words."}],
        "gold": [{"text": "take two"}],
        "human_labels": [
            {"criterion": "useful", "rater": "r1", "value": "1", "context_rank": 1},
        ],
    }
    file = tmp_path / "marked.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert import_file(store, file, Options()).is_stored
    run_id = run_list(store)[0].run.run_id

    app = start("retrieval", {"run": run_id})
    box = next(one for one in app.selectbox if one.label == "Where words find nothing, believe")
    assert box.options == ["nobody", "useful · people"]
    box.set_value("label:useful").run()
    app.button(key="apply_hit_rule").click().run()
    assert "Hit rate 0\u202f% → 100\u202f%" in text_of(app)
    labels = [block.proto.popover.label for block in app.get("popover")]
    assert "Compared: gold evidence · marks on contexts" in labels

    assert "hit: by its mark" in text_of(start("triage", {"run": run_id}))
