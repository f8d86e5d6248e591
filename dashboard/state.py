"""The address: what a page shows, as a value that can be copied, restored and tested.

One owner: the session keeps the address, and a small component writes it into the browser's
address bar by replacing the entry, so that moving a slider adds no history. Pages are separate
entries; Back and Forward bring back the address each had.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from urllib.parse import parse_qs, urlencode

import streamlit as st

from core.errors import BadInputError
from core.filters import SampleFilter, from_terms
from core.model import Axis
from core.workflows.review import View, parse_policy

_CUT_KEYS = {
    "cr": Axis.CONTEXT_RELEVANCE,
    "g": Axis.GROUNDEDNESS,
    "ar": Axis.ANSWER_RELEVANCE,
    "c": Axis.CORRECTNESS,
}
#: What single pages are asked and how much evidence makes a hit, as texts in the address.
OPTION_KEYS = (
    "score", "label", "positive", "from", "part", "at", "also", "pool", "criterion", "scale", "w",
    "hit",
)  # fmt: skip
Params = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Address:
    """Everything that the address bar holds, still unchecked against the store."""

    run: str | None = None
    baseline: str | None = None
    sample: str | None = None
    terms: tuple[str, ...] = ()
    cuts: tuple[tuple[Axis, float], ...] = ()
    selection: tuple[tuple[Axis, str, str], ...] = ()
    slice_by: str | None = None
    term: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_params(cls, params: Params) -> "Address":
        """An address from query parameters; parameters of other origin are passed over.

        Raises:
            BadInputError: a cut that is no number, or a selection that names no axis.
        """
        cuts = [
            (axis, _cut(key, text))
            for key, axis in _CUT_KEYS.items()
            if (text := _last(params, key)) is not None
        ]
        return replace(
            cls.places(params),
            terms=tuple(term for term in params.get("f", ()) if term),
            cuts=tuple(cuts),
            selection=tuple(_choice(text) for text in params.get("judge", ()) if text),
            slice_by=_last(params, "by"),
            term=_last(params, "term"),
            options=tuple(
                (key, text) for key in OPTION_KEYS if (text := _last(params, key)) is not None
            ),
        )

    @classmethod
    def places(cls, params: Params) -> "Address":
        """Only run, baseline and sample: what can be read of any address."""
        return cls(
            run=_last(params, "run"),
            baseline=_last(params, "vs"),
            sample=_last(params, "sample"),
        )

    def params(self) -> dict[str, str | list[str]]:
        """The query parameters that ``from_params`` reads back; what is not set is left out."""
        named = {"run": self.run, "vs": self.baseline, "sample": self.sample}
        found: dict[str, str | list[str]] = {key: value for key, value in named.items() if value}
        if self.terms:
            found["f"] = list(self.terms)
        cuts = dict(self.cuts)
        for key, axis in _CUT_KEYS.items():
            if axis in cuts:
                found[key] = _cut_text(cuts[axis])
        if self.selection:
            found["judge"] = [f"{axis}:{judge}:{metric}" for axis, metric, judge in self.selection]
        if self.slice_by:
            found["by"] = self.slice_by
        if self.term:
            found["term"] = self.term
        options = dict(self.options)
        for key in OPTION_KEYS:
            if options.get(key):
                found[key] = options[key]
        return found

    def option(self, key: str) -> str | None:
        """What the address says for one of ``OPTION_KEYS``."""
        return dict(self.options).get(key)

    def number(self, key: str) -> float | None:
        """An option as a number.

        Raises:
            BadInputError: it is none.
        """
        text = self.option(key)
        return None if text is None else _cut(key, text)

    def query(self) -> str:
        """The address as it stands behind the question mark."""
        return urlencode(self.params(), doseq=True)

    def wanted(self) -> SampleFilter:
        """The filter.

        Raises:
            BadInputError: a term that is none.
        """
        return from_terms(self.terms)

    def view(self) -> View:
        """What the workflows are asked for.

        Raises:
            BadInputError: a filter term or a hit policy that is none.
        """
        share = parse_policy(self.option("hit")).share
        return View(self.cuts, self.selection, self.wanted(), share)


def _last(params: Params, key: str) -> str | None:
    found = params.get(key)
    return found[-1] if found and found[-1] else None


def _cut(key: str, text: str) -> float:
    try:
        cut = float(text)
    except ValueError:
        cut = nan
    if not isfinite(cut):
        raise BadInputError(f"The address has {key}={text!r}; a cut must be a number.")
    return cut


def _cut_text(cut: float) -> str:
    """The shortest text that is read back as the same number: 4, not 4.0."""
    return f"{cut:g}" if float(f"{cut:g}") == cut else repr(cut)


def _choice(text: str) -> tuple[Axis, str, str]:
    axis, _, rest = text.partition(":")
    judge, _, metric = rest.partition(":")
    try:
        return Axis(axis), metric, judge
    except ValueError:
        raise BadInputError(
            f"The address selects a judge for {axis!r}, which is no axis."
        ) from None


_ADDRESS_BAR = st.components.v2.component(
    "rag_triage_address",
    js="""
export default function ({ data, setTriggerValue }) {
  // A page that has shown another address before belongs to a session that is gone: the server
  // was started anew. It goes on where it was, not at the first run of the list.
  const before = window.ragTriageAddress
  if (data.n === 1 && before !== undefined && before !== data.search) {
    setTriggerValue("restored", before)
    return
  }
  window.ragTriageAddress = data.search
  const url = new URL(window.location.href)
  if (url.search === data.search) return
  url.search = data.search
  window.history.replaceState(window.history.state, "", url.toString())
}
""",
)


def current() -> Address:
    """The address of this session."""
    found: Address = st.session_state.get("address", Address())
    return found


def change(**fields: object) -> None:
    """Change fields of the address; for callbacks, and for pages that then rerun."""
    st.session_state["address"] = replace(current(), **fields)  # type: ignore[arg-type]


def restart() -> None:
    """Forget the address, as in a session that has just begun."""
    st.session_state["address"] = Address()


def change_options(**options: str | float | None) -> None:
    """Change options of the trust pages; None or "" takes one away."""
    kept = dict(current().options)
    for key, value in options.items():
        kept[key] = _cut_text(value) if isinstance(value, float) else value or ""
    change(options=tuple((key, kept[key]) for key in OPTION_KEYS if kept.get(key)))


def sync(page: str) -> None:
    """Take over what the browser brings (a link, Back, Forward), and nothing that we wrote.

    Raises:
        BadInputError: the browser's address cannot be read.
    """
    params = {key: st.query_params.get_all(key) for key in st.query_params}
    arrived = (page, urlencode(params, doseq=True))
    known: list[tuple[str, str]] = st.session_state.setdefault("known_addresses", [])
    is_new = bool(params) and arrived not in known
    if is_new or st.session_state.get("page") != page:
        _begin_visit()
    if is_new:
        known[:] = [arrived]
        # An address that cannot be read must not leave people at another run without a word.
        st.session_state["address"] = Address.places(params)
        st.session_state["address"] = Address.from_params(params)
    if st.session_state.get("page") != page:
        known[:] = [arrived]
        st.session_state["page"] = page


def show_in_browser(page: str) -> None:
    """Write the session's address into the address bar, without a history entry."""
    query = current().query()
    known: list[tuple[str, str]] = st.session_state.setdefault("known_addresses", [])
    known.append((page, query))
    del known[:-20]
    # The count makes the component run again after a page change that left the address bar bare.
    st.session_state["n_shown"] = st.session_state.get("n_shown", 0) + 1
    shown = _ADDRESS_BAR(
        data={"search": f"?{query}" if query else "", "n": st.session_state["n_shown"]},
        key="address_bar",
        on_restored_change=_nothing,
    )
    if shown.restored:
        params = parse_qs(str(shown.restored).removeprefix("?"))
        st.session_state["address"] = Address.from_params(params)
        _begin_visit()
        st.rerun()


def _nothing() -> None:
    """What the browser sends is read where it is drawn."""


def visit_key(name: str) -> str:
    """Key of a widget that shows a part of the address, or whose selection leads to another page.

    It is another one on each visit of a page. When somebody leaves a page or comes back quickly,
    the browser still sends what its widgets held before; under an old name that means nothing,
    under the same name it would be taken for a new choice.
    """
    return f"{name}.{st.session_state.get('n_visits', 0)}"


def _begin_visit() -> None:
    st.session_state["n_visits"] = st.session_state.get("n_visits", 0) + 1


def go(page: str, url_path: str, address: Address) -> None:
    """Open another page at an address, as one history entry."""
    old = current()
    st.session_state["address"] = address
    # Switching with the parameters that stand in the browser already adds no entry of its own;
    # the new page then replaces them by its address.
    _begin_visit()
    st.session_state["page"] = url_path
    st.session_state["known_addresses"] = [(url_path, old.query())]
    st.switch_page(page, query_params=old.params())
