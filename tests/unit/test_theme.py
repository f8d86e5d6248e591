import itertools
import re
import tomllib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from core.diagnosis.modes import Side
from core.metrics.intervals import Rate
from core.model import Mode, Scale
from dashboard import theme as look
from dashboard.theme import DARK, LIGHT, Theme, contrast, text_on, tile_ground

ROOT = Path(__file__).parents[2]
RUBRIC, RATIO = Scale(1, 5), Scale(0, 1)
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.kind)


# --- colours ---


def test_theme_for_the_kind_that_streamlit_reports() -> None:
    assert look.theme("dark") is DARK
    assert look.theme("light") is LIGHT
    assert look.theme(None) is LIGHT


def test_contrast_of_black_on_white_is_the_largest_there_is() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)  # (1 + 0.05) / (0 + 0.05)
    assert contrast("#777777", "#777777") == pytest.approx(1)
    # 0x80 / 255 = 0.50196; ((0.50196 + 0.055) / 1.055) ** 2.4 = 0.21586; 1.05 / 0.26586 = 3.949
    assert contrast("#FFFFFF", "#808080") == pytest.approx(3.949, abs=0.001)


def test_mix_lays_a_share_of_one_colour_over_another() -> None:
    assert look.mix("#000000", "#FF8000", 0.5) == "#804000"  # 127.5 and 64, rounded
    assert look.mix("#15171B", "#FFFFFF", 0) == "#15171B"


@THEMES
def test_every_mode_has_a_fill_of_its_own_and_readable_text_on_it(theme: Theme) -> None:
    assert set(theme.fills) == {str(mode) for mode in Mode}
    assert len(set(theme.fills.values())) == len(Mode)
    for mode in Mode:
        assert contrast(text_on(theme.fill(mode)), theme.fill(mode)) >= 4.5, mode


def test_text_on_a_fill_is_the_one_that_reads_better() -> None:
    assert text_on(LIGHT.fill("hallucination")) == look.ON_DARK
    assert text_on(LIGHT.fill("ungrounded_answer")) == look.ON_LIGHT


@THEMES
def test_text_reads_on_every_ground_that_it_stands_on(theme: Theme) -> None:
    inks = {
        name: getattr(theme, name) for name in "ink muted worse better passed failed".split()
    } | {f"family {side}": ink for side, ink in theme.family_inks.items()}
    for (name, ink), ground in itertools.product(inks.items(), (theme.ground, theme.panel)):
        assert contrast(ink, ground) >= 4.5, (name, ground)
    assert contrast(theme.caption, theme.ground) >= 4.5
    assert contrast(theme.ink, theme.mark) >= 4.5
    assert contrast(theme.neutral, theme.ground) >= 3  # bars, not text


@THEMES
def test_badges_read_on_their_tints(theme: Theme) -> None:
    assert set(theme.family_inks) == set(theme.tints) == set(Side)
    for side in Side:
        assert contrast(theme.family_inks[side], theme.tints[side]) >= 4.5, side


@THEMES
@pytest.mark.parametrize("side", list(Side))
def test_every_text_on_the_deepest_tile_reads(theme: Theme, side: Side) -> None:
    deepest = tile_ground(theme, side, 1.0)
    texts = [theme.ink, theme.muted, theme.family_inks[side], theme.better, theme.worse]
    assert min(contrast(text, deepest) for text in texts) >= 4.5


def test_tile_ground_deepens_with_the_share_up_to_six_per_cent() -> None:
    assert tile_ground(LIGHT, "retrieval", 0) == LIGHT.panel
    assert tile_ground(LIGHT, "retrieval", None) == LIGHT.panel
    fill = LIGHT.fill("retrieval_failure")
    # 0.08 + 0.14 * 0.03 / 0.06 = 0.15
    assert tile_ground(LIGHT, "retrieval", 0.03) == look.mix(LIGHT.ground, fill, 0.15)
    assert tile_ground(LIGHT, "retrieval", 0.06) == tile_ground(LIGHT, "retrieval", 0.9)
    # Success: 0.36 / 12 = 0.03 of a share
    success = look.mix(LIGHT.ground, LIGHT.fill("success"), 0.15)
    assert tile_ground(LIGHT, "works", 0.36) == success


def test_ids_of_context_use_share_the_fill_of_a_mode() -> None:
    assert LIGHT.fill("effective_use") == LIGHT.fill("success")
    assert LIGHT.fill("correct_rejection") == LIGHT.fill("correct_refusal")
    assert LIGHT.fill("no such id") == LIGHT.fill("undetermined")


def test_only_a_proven_change_is_coloured() -> None:
    assert [DARK.change_ink(c) for c in ("better", "worse", "muted", "")] == [
        DARK.better,
        DARK.worse,
        DARK.muted,
        DARK.muted,
    ]


@THEMES
def test_streamlit_is_configured_with_the_same_tokens(theme: Theme) -> None:
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
    section = settings[theme.kind]
    assert section["backgroundColor"] == theme.ground
    assert section["textColor"] == theme.ink
    assert section["borderColor"] == theme.border
    assert section["dataframeHeaderTextColor"] == theme.muted
    assert section["greenTextColor"] == theme.family_inks["works"]
    assert section["violetTextColor"] == theme.family_inks["generation"]
    assert section["orangeTextColor"] == theme.family_inks["retrieval"]
    assert section["redTextColor"] == theme.worse
    for name in "green violet orange red blue gray".split():
        badge = contrast(section[f"{name}TextColor"], section[f"{name}BackgroundColor"])
        assert badge >= 4.5, name


def test_no_page_sends_anything_out() -> None:
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
    assert config["server"]["address"] == "localhost"
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["showErrorLinks"] is False
    assert config["theme"]["font"] == "sans-serif"  # shipped with Streamlit, not fetched


@pytest.mark.parametrize("name", ["logo.svg", "mark.svg"])
def test_pictures_fetch_and_run_nothing(name: str) -> None:
    svg = (ROOT / "dashboard/assets" / name).read_text("utf-8")
    assert svg.startswith("<svg ")
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<image|href|@import|url\(", svg)


# --- numbers ---


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.18, "18\u202f%"),
        (0.285, "29\u202f%"),  # half up, although 0.285 * 100 is 28.499…
        (0.125, "13\u202f%"),
        (0, "0\u202f%"),
        (1, "100\u202f%"),
        (1 / 1000, "<1\u202f%"),
        (0.005, "1\u202f%"),
        (999 / 1000, ">99\u202f%"),
        (-0.03, "−3\u202f%"),
        (None, "—"),
        (float("nan"), "—"),
    ],
)
def test_percent(share: float | None, text: str) -> None:
    assert look.percent(share) == text


def test_share_names_count_and_interval() -> None:
    # Wilson for 27 of 150: centre (27 + 1.9207) / 153.8415 = 0.1880,
    # half 1.96 * sqrt(27 * 123 / 150 + 0.9604) / 153.8415 = 0.0612: 0.127 to 0.249
    assert look.share(27, 150) == "27 of 150 (18\u202f%, 13–25)"
    # 0 of 40: the upper end is 3.8415 / 43.8415 = 0.0876
    assert look.share(0, 40) == "0 of 40 (0\u202f%, 0–9)"
    assert look.rate(27, 150) == "18\u202f% (13–25)"


@pytest.mark.parametrize("render", [look.share, look.rate])
def test_fewer_than_five_are_counted_but_make_no_rate(render: object) -> None:
    assert callable(render)
    assert render(1, 1) == "1 of 1"
    assert render(0, 4) == "0 of 4"
    assert render(0, 0) == "0 of 0"
    assert "%" in render(1, 5)


def test_rate_with_its_own_interval_is_written_by_the_same_rule() -> None:
    assert look.rate_of(Rate(1.0, 0.5, 1.0, 4, 4.0)) == "4 of 4"
    assert look.rate_of(Rate(0.8, 0.4, 0.9, 5, 4.0)) == "80\u202f% (40–90)"
    # The mean of three values that are no yes and no has no "k of n".
    assert look.rate_of(Rate(0.5, 0.2, 0.9, 3, 1.5)) == "50\u202f% (20–90)"
    assert look.rate_of(Rate(None, None, None, 0, 0.0)) == "—"


def test_counted_things() -> None:
    assert look.counted(1, "sample") == "1 sample"
    assert look.counted(0, "sample") == "0 samples"
    assert look.counted(12_345, "sample") == "12\u202f345 samples"


def test_interval_without_ends_is_undefined() -> None:
    assert look.interval(0.131, 0.249) == "13–25"
    assert look.interval(None, None) == "—"


@pytest.mark.parametrize(
    ("value", "text"),
    [(9, "+9"), (-6, "−6"), (0, "±0"), (-12345, "−12\u202f345"), (None, "—"), (-0.2, "<1 down")],
)
def test_signed(value: float | None, text: str) -> None:
    assert look.signed(value) == text


def test_signed_with_unit_and_digits() -> None:
    assert look.signed(9, "points") == "+9 points"
    assert look.signed(-0.126, digits=2) == "−0.13"
    assert look.signed(0.001, digits=2) == "<0.01 up"


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.09, "+9 points"),
        (-0.012, "−1 point"),
        (0.0, "±0 points"),
        (0.002, "<1 point up"),
        (-0.002, "<1 point down"),
        (None, "—"),
    ],
)
def test_points(difference: float | None, text: str) -> None:
    assert look.points(difference) == text


@pytest.mark.parametrize(
    ("value", "scale", "text"),
    [
        (2, RUBRIC, "2 of 5"),
        (3.5, RUBRIC, "3.5 of 5"),
        (2, Scale(0, 3), "2 of 3"),
        (0.62, RATIO, "0.62"),
        (1, RATIO, "1.00"),
        (0, RATIO, "0.00"),
        (None, RUBRIC, "—"),
        (float("inf"), RATIO, "—"),
        (12.345, Scale(None, None), "12.35"),
        (-1234.5, None, "−1\u202f234.50"),
    ],
)
def test_number_in_its_scale(value: float | None, scale: Scale | None, text: str) -> None:
    assert look.number(value, scale) == text


def test_number_shows_on_which_side_of_the_cut_it_lies() -> None:
    assert look.number(0.6996, RATIO) == "0.70"
    assert look.number(0.6996, RATIO, cut=0.7) == "0.6996"
    assert look.number(0.7, RATIO, cut=0.7) == "0.70"
    assert look.number(0.31, RATIO, cut=0.7) == "0.31"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0421, "42 ms"),
        (0.5, "0.5 s"),
        (1.23, "1.2 s"),
        (9.96, "10 s"),
        (59.7, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7800, "2 h 10 min"),
        (None, "—"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert look.duration(seconds) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "unknown"),
        (0, "$0.00"),
        (0.0004, "<$0.01"),
        (0.14, "$0.14"),
        (1234.5, "$1\u202f234.50"),
    ],
)
def test_cost_is_never_zero_where_it_is_unknown(usd: float | None, text: str) -> None:
    assert look.cost(usd) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.03, "p = 0.03"),
        (0.0042, "p = 0.004"),
        (0.0009, "p < 0.001"),
        (0.998, "p > 0.99"),
        (None, "p —"),
    ],
)
def test_p_value(p: float | None, text: str) -> None:
    assert look.p_value(p) == text


def test_counts_have_thin_separators() -> None:
    assert look.count(1_234_567) == "1\u202f234\u202f567"
    assert look.count(None) == "—"
    assert [look.compact(n) for n in (9876, 62_135, 999_600, 1_249_000)] == [
        "9\u202f876",
        "62k",
        "1.0M",
        "1.2M",
    ]


def test_dates_are_utc() -> None:
    east = timezone(timedelta(hours=2))
    assert look.date(datetime(2026, 12, 1, 1, 5, tzinfo=east)) == "30 Nov 2026"
    assert look.date(datetime(2026, 3, 4, 9, 7, tzinfo=UTC), time=True) == "4 Mar 2026, 09:07"
    assert look.date(datetime(2026, 3, 4, 9, 7), time=True) == "4 Mar 2026, 09:07"  # noqa: DTZ001
    assert look.date(None) == "—"
