from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dashboard.charts.matrix import ROW_LABELS, Cell, matrix_figure, strip_figure
from dashboard.theme import Theme, tile_ground

ROWS = ["Context relevant|CR ≥ 4", "Context not relevant|CR < 4"]
COLUMNS = ["Grounded · G ≥ 4", "Not grounded · G < 4"]
SUCCESS = Cell(
    id="success",
    row=ROWS[0],
    column=COLUMNS[0],
    name="Success",
    code="●●●",
    count=99,
    share_text="66 % (58–73)",
    change_text="+13 vs baseline",
    change_ink="better",
    family="works",
    share=0.66,
    tooltip="99 of 150 (66 %, 58–73)",
    rule="CR high, G high, AR high",
)
LEAKED = replace(
    SUCCESS,
    id="ungrounded",
    row=ROWS[1],
    column=COLUMNS[1],
    name="Ungrounded answer",
    code="○○● 4 wrong, 2 right, 1 unknown",
    count=7,
    share=7 / 150,
    share_text="5 % (2–9)",
    change_text="−2 vs baseline",
    change_ink="muted",
    family="retrieval",
)


def figure(cells: list[Cell], theme: Theme, *, row_labels: bool = True) -> Any:
    return matrix_figure(
        cells,
        rows=ROWS,
        columns=COLUMNS,
        title="Answer relevant · AR ≥ 4",
        theme=theme,
        row_labels=row_labels,
    )


def test_tiles_carry_figures_and_colours(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(figure([SUCCESS, LEAKED], theme))
    assert drawn.values("count") == ["99", "7"]
    assert drawn.values("ground") == [
        tile_ground(theme, "works", 0.66),
        tile_ground(theme, "retrieval", 7 / 150),
    ]
    assert drawn.values("ink") == [theme.family_inks["works"], theme.family_inks["retrieval"]]
    assert drawn.values("change_ink") == [theme.better, theme.muted]
    assert drawn.spec["title"]["text"] == "Answer relevant · AR ≥ 4"


def test_a_click_selects_the_id(draw: Callable[..., Any], theme: Theme) -> None:
    assert draw(figure([SUCCESS], theme)).selections == {"cell": ["id"]}
    assert draw(strip_figure([SUCCESS], theme=theme)).selections == {"cell": ["id"]}


def test_long_texts_have_a_second_line_ready(draw: Callable[..., Any], theme: Theme) -> None:
    weak = replace(SUCCESS, name="Answered from weak context")
    drawn = draw(figure([weak, LEAKED], theme))
    assert drawn.values("name_lines")[0] == "Answered from\nweak context"
    assert drawn.values("code_lines")[1] == "○○● 4 wrong,\n2 right, 1 unknown"
    assert drawn.values("change_short") == ["+13", "−2"]


def test_a_change_that_is_no_number_is_never_cut(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(figure([replace(SUCCESS, change_text="not comparable")], theme))
    assert drawn.values("change_short") == ["not comparable"]


def test_no_cell_leaves_the_labels_standing(draw: Callable[..., Any], theme: Theme) -> None:
    drawn = draw(figure([], theme))
    assert drawn.rows == []
    encoding = drawn.spec["layer"][0]["encoding"]
    assert encoding["x"]["scale"]["domain"] == COLUMNS
    assert encoding["y"]["scale"]["domain"] == ROWS


def test_a_cell_without_samples_has_the_plain_ground(
    draw: Callable[..., Any], theme: Theme
) -> None:
    bare = replace(SUCCESS, count=0, share=0.0, share_text="", change_text="", change_ink="")
    assert draw(figure([bare], theme)).values("ground") == [theme.panel]


@pytest.mark.parametrize("row_labels", [True, False])
def test_all_layers_share_one_axis(
    draw: Callable[..., Any], theme: Theme, row_labels: bool
) -> None:
    layers = draw(figure([SUCCESS], theme, row_labels=row_labels)).spec["layer"]
    for channel in ("x", "y"):
        axes = [layer["encoding"][channel]["axis"] for layer in layers]
        assert all(axis == axes[0] for axis in axes)
    axis = layers[0]["encoding"]["y"]["axis"]
    assert (axis["minExtent"] == ROW_LABELS) if row_labels else axis is None


def test_the_strip_keeps_the_given_order(draw: Callable[..., Any], theme: Theme) -> None:
    ids = ["correct_refusal", "over_refusal", "undetermined"]
    drawn = draw(strip_figure([replace(SUCCESS, id=i, family="refusal") for i in ids], theme=theme))
    assert drawn.spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == ids
    assert drawn.spec["height"] == 92
    assert draw(strip_figure([], theme=theme)).rows == []


def test_data_stays_data(draw: Callable[..., Any], theme: Theme) -> None:
    evil = "' + datum.id + '<img src=x onerror=alert(1)>"
    drawn = draw(figure([replace(SUCCESS, name=evil, code=evil, rule=evil, tooltip=evil)], theme))
    assert drawn.values("name") == [evil]
    assert evil not in str(drawn.spec["layer"])
    assert "href" not in str(drawn.spec)
