from dashboard.charts.accuracy_split import accuracy_split_figure
from dashboard.theme import Theme


def outside(theme: Theme, *, correct: int, grounded: int) -> dict[str, bool]:
    """For each label of a bar whether it stands beside its part of the bar."""
    figure = accuracy_split_figure(
        n=150, correct=correct, grounded=grounded, hits=100, effective=90, theme=theme
    )
    rows = [row for data in figure.to_dict(validate=True)["datasets"].values() for row in data]
    return {row["label"]: row["is_outside"] for row in rows if "is_outside" in row}


def test_figure_stands_beside_a_part_that_is_too_narrow_for_it(theme: Theme) -> None:
    # 3 of 150 are 2 % of the axis, 30 are 20 %; beyond three quarters of it there is no room.
    assert outside(theme, correct=33, grounded=30)["3"] is True
    assert outside(theme, correct=60, grounded=30)["30 without"] is False
    assert outside(theme, correct=140, grounded=137)["3"] is False
