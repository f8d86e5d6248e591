"""Terms in words: metrics and modes fold out, the shorter ones stand in rows."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from core.workflows.definitions import Entry, Kind
from dashboard.components.head import section
from dashboard.theme import count, escape, escape_line

_FOLDED = (
    Kind.METRIC, Kind.MODE, Kind.QUADRANT, Kind.EXTENDED, Kind.CONTRADICTION, Kind.STATISTIC,
)  # fmt: skip
_OPEN_UP_TO = 3  # so few hits are read at once, not opened one by one


def draw(entries: Sequence[Entry], *, is_search: bool) -> None:
    """The entries under their kinds and groups."""
    is_open = is_search and len(entries) <= _OPEN_UP_TO
    for kind in Kind:
        mine = [entry for entry in entries if entry.kind is kind]
        if not mine:
            continue
        section(f"{kind.value} :gray[{count(len(mine))}]")
        if not is_search:
            first = list(dict.fromkeys(entry.group for entry in mine))
            mine.sort(key=lambda entry: first.index(entry.group))
        # A search puts the best hit first, so groups can come back: each shows its name again.
        for group, members in groupby(mine, key=lambda entry: entry.group):
            with st.container(gap="xxsmall" if kind in _FOLDED else "small"):
                if group:
                    st.caption(group)
                for entry in members:
                    if kind in _FOLDED:
                        _folded(entry, is_open=is_open)
                    else:
                        _row(entry)


def _folded(entry: Entry, *, is_open: bool) -> None:
    code = f"{escape_line(entry.code)} " if entry.code else ""
    label = f"{code}**{escape_line(entry.name)}** :gray[{escape_line(entry.sentence)}]"
    key = f"define_{entry.kind.name}_{entry.id}"
    # What is folded is sent when it is opened: a hundred closed texts take longer than all else.
    with st.expander(label, expanded=is_open, key=key, on_change="rerun") as box:
        if box.open:
            facts = [("Id", f"`{entry.id}`"), *((name, escape(text)) for name, text in entry.facts)]
            st.markdown("  \n".join(f":gray[{escape_line(name)}:] {text}" for name, text in facts))


def _row(entry: Entry) -> None:
    left, right = st.columns([1, 3], gap="small")
    code = f" {escape_line(entry.code)}" if entry.code else ""
    left.markdown(f"**{escape_line(entry.name)}**{code}  \n`{entry.id}`")
    facts = "".join(f"  \n:gray[{escape(name)}: {escape(text)}]" for name, text in entry.facts)
    right.markdown(f"{escape(entry.sentence)}{facts}")
