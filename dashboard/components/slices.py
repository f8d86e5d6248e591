"""Failing share by the values of one tag."""

import streamlit as st

from core.diagnosis.modes import Outcome
from core.filters import escape_name
from core.workflows.matrix import Matrix
from dashboard import access, navigation, state
from dashboard.charts.slices import SliceRow, slice_rows
from dashboard.components.head import current_theme, section
from dashboard.theme import count

_SHOWN = 12


def panel(matrix: Matrix) -> None:
    """Pick a tag; each of its values is a row that opens its failing samples' slice."""
    choices = access.load_filter_choices(matrix.settings.run.run_id)
    names = list(dict.fromkeys(name for name, _, _ in choices.tags))
    if not names:
        return
    address = state.current()
    section("Where it fails", "Failing share of the scored samples, by the values of a tag.")
    chosen = address.slice_by if address.slice_by in names else _best(choices.tags, names)
    key = state.visit_key("slice_by")
    st.session_state[key] = chosen

    def picked() -> None:
        state.change(slice_by=st.session_state[key])

    st.selectbox("Compare by", names, key=key, on_change=picked, width=240)
    found = access.load_tag_slices(matrix.settings.run.run_id, address.view(), str(chosen))
    rows = [
        SliceRow(value, value, summary.fail_rate) for value, summary in found if summary.scored
    ][:_SHOWN]
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


def _best(tags: tuple[tuple[str, str, int], ...], names: list[str]) -> str:
    """The tag that splits the run into a readable number of slices."""
    n_values = {name: sum(1 for tag, _, _ in tags if tag == name) for name in names}
    readable = [name for name in names if 2 <= n_values[name] <= _SHOWN]
    return readable[0] if readable else names[0]
