"""Changes against a baseline that nobody has opened yet: its hits are worked out first."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
PLAIN, STEMMED = "handbook · k3 plain", "handbook · k5 stemmed"
MINUS = "\N{MINUS SIGN}"


def ids(store: Store) -> dict[str, str]:
    return {row.run.name: row.run.run_id for row in run_list(store)}


def quadrants(app: AppTest, column: str) -> dict[str, object]:
    (table,) = [frame.value for frame in app.dataframe if "Quadrant" in frame.value]
    return dict(zip(table["Quadrant"], table[column], strict=True))


def test_context_use_compares_with_a_baseline_that_was_never_opened(
    store_of: StoreOf, start: Start
) -> None:
    run = ids(store_of("demo"))

    app = start("context_use", {"run": run[STEMMED], "vs": run[PLAIN]})

    assert [error.value for error in app.exception] == []
    changes, now = quadrants(app, "Change"), quadrants(app, "Samples")
    before = quadrants(start("context_use", {"run": run[PLAIN]}), "Samples")
    for name, n in now.items():
        difference = int(str(n)) - int(str(before.get(name, 0)))
        sign = "±" if not difference else "+" if difference > 0 else MINUS
        assert changes[name] == f"{sign}{abs(difference)}"


def test_retrieval_compares_with_a_baseline_that_was_never_opened(
    store_of: StoreOf, start: Start
) -> None:
    run = ids(store_of("demo"))

    app = start("retrieval", {"run": run[STEMMED], "vs": run[PLAIN]})

    assert [error.value for error in app.exception] == []
    (table,) = [frame.value for frame in app.dataframe if "Figure" in frame.value]
    alone = start("retrieval", {"run": run[PLAIN]})
    (base,) = [frame.value for frame in alone.dataframe if "Figure" in frame.value]
    shown = dict(zip(table["Figure"], table["Baseline"], strict=True))
    assert shown["MRR"] == dict(zip(base["Figure"], base["Value"], strict=True))["MRR"]
    assert shown["MRR"] != "—"
