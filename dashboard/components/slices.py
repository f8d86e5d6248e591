"""Failing share by the values of one tag."""

import streamlit as st

from core.diagnosis.modes import Outcome
from core.filters import escape_name
from core.workflows.matrix import Matrix
from core.workflows.view_choices import READABLE
from dashboard import access, navigation, state
from dashboard.charts.slices import SliceRow, slice_rows
from dashboard.components import tag_select
from dashboard.components.head import current_theme, section
from dashboard.theme import count


def panel(matrix: Matrix) -> None:
    """Pick a tag; each of its values is a row that opens its failing samples' slice."""
    run_id = matrix.settings.run.run_id
    if not access.load_filter_choices(run_id).tags:
        return
    section("Where it fails", "Failing share of the scored samples, by the values of a tag.")
    address = state.current()
    chosen = tag_select.choose(run_id)
    if chosen is None:
        return
    found = access.load_tag_slices(run_id, address.view(), chosen)
    rows = [
        SliceRow(value, value, summary.fail_rate) for value, summary in found if summary.scored
    ][:READABLE]
    if not rows:
        st.caption("No sample with this tag has been scored yet.")
        return
    overall = matrix.summary.fail_rate.value
    event = st.altair_chart(
        access.figure(slice_rows, rows, current_theme(), overall=overall),
        theme=None,
        key=state.visit_key(f"slices_{chosen}"),
        on_select="rerun",
    )
    hidden = len(found) - len(rows)
    st.caption(
        f"{matrix.summary.of(Outcome.FAIL)} of {count(matrix.summary.scored)} scored samples fail "
        "in all (line); 95\u202f% intervals. "
        + _hidden(hidden)
        + (
            f"{len(rows)} slices are compared: expect one of twenty to stand out by chance. "
            if len(rows) > 3
            else ""
        )
        + "Click a row to open its samples."
    )
    clicked = event["selection"].get("slice") or []
    if clicked:
        navigation.open_samples(address, f"tag.{escape_name(chosen)}={clicked[0]['id']}")


def _hidden(n: int) -> str:
    if not n:
        return ""
    return f"{count(n)} smaller or unscored {'value is' if n == 1 else 'values are'} not shown. "
