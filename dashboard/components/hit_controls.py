"""What counts as a hit: how much evidence it needs (in the address) and what is compared (kept)."""

import streamlit as st

from core.errors import RagTriageError
from core.metrics.hit_rule import Marks
from core.metrics.hits import HitPolicy
from core.workflows import hit_jobs, hit_rules
from core.workflows.deriving import INLINE
from core.workflows.hit_rules import HitEffect, HitRuleState
from core.workflows.review import parse_policy
from dashboard import access, navigation, state
from dashboard.access import hits
from dashboard.theme import count, escape, escape_line, percent, points

_NOBODY = ""
_POLICIES = {"any": "any evidence", "fraction>=0.5": "half of it", "all": "all of it"}


def draw(run_id: str, n_samples: int) -> None:
    """One line above the figures: the hit policy, the hit rule, and what the rule changes."""
    address = state.current()
    found = hits.load_hit_state(run_id, address.view())
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="hit_controls"
    ):
        policy = parse_policy(address.option("hit"))
        if found.n_several or policy.share:
            _policy(policy)
        _rule(run_id, n_samples, found)
    if found.effect is not None:
        _effect(found.effect)


def _policy(policy: HitPolicy) -> None:
    options = dict(_POLICIES)
    options.setdefault(str(policy), f"{percent(policy.share)} of it")
    key = state.visit_key("hit_policy")
    st.session_state[key] = str(policy)

    def picked() -> None:
        chosen = st.session_state[key]
        state.change_options(hit=None if chosen in (None, "any") else chosen)

    st.markdown(
        "A hit needs",
        width="content",
        help="Some samples have several pieces of gold evidence. Whether a sample counts as a hit "
        "then depends on how many of them were retrieved. The choice holds on every page and is "
        "part of the link.",
    )
    st.segmented_control(
        "A hit needs",
        list(options),
        format_func=lambda one: options[one],
        key=key,
        on_change=picked,
        label_visibility="collapsed",
        width="content",
    )


def _rule(run_id: str, n_samples: int, found: HitRuleState) -> None:
    store = access.ready_store()
    job = hit_jobs.newest(store, run_id)
    if job is not None and job.is_active:
        _moving(run_id)
        return
    parts = ["gold evidence"]
    if found.rule.use_reference:
        parts.append("reference")
    if found.rule.terms is not None:
        parts.append("medical terms")
    if found.rule.marks is not None:
        parts.append("marks on contexts")
    with st.popover(
        f"Compared: {' · '.join(parts)}", icon=":material/rule:", type="tertiary", key="hit_rule"
    ):
        st.markdown("**What contexts are compared with**")
        st.caption(
            "By document id where gold and contexts have ids, else by the gold text: its words one "
            "after another, or 80\u202f% of them close together. These settings belong to the run "
            "and are logged; switching them off brings back every hit as it was."
        )
        reference = st.toggle(
            "Use the reference where there is no gold",
            value=found.rule.use_reference,
            key=state.visit_key("hit_reference"),
            help="A context that contains the reference answer then counts as a hit. Short "
            "references such as “yes” or “5” stand in many texts by chance; these samples "
            "bear the remark “Hit by proxy”.",
        )
        st.caption(f"Samples in view with a reference and no gold: {count(found.n_without_gold)}.")
        terms = st.toggle(
            "Write medical terms alike first",
            value=found.rule.terms is not None,
            key=state.visit_key("hit_terms"),
            help="Abbreviations become full terms, words for the sexes one word each, thresholds "
            "of age one token each, in gold and contexts alike. Matches by id do not change.",
        )
        _terms_line(found)
        marks = _marks(found)
        is_same = (reference, terms, marks) == (
            found.rule.use_reference, found.rule.terms is not None, found.rule.marks
        )  # fmt: skip
        is_renewed = terms and hit_rules.is_outdated(store, found.rule)
        if st.button(
            "Compare again", type="primary", key="apply_hit_rule",
            disabled=is_same and not is_renewed,
        ):  # fmt: skip
            _apply(run_id, n_samples, reference, terms, marks)
        if job is not None and job.state in ("failed", "lost"):
            st.warning(
                escape(job.message)
                or "The comparison ended without a word. What it had compared "
                "is kept: Compare again goes on."
            )


def _marks(found: HitRuleState) -> Marks | None:
    """Whose marks on single contexts to believe; nothing is asked where nobody has made any."""
    old = found.rule.marks
    known = {one.key: one for one in found.marks}
    if old is not None:
        known.setdefault(old.key, old)
    if not known:
        return None
    chosen = st.selectbox(
        "Where words find nothing, believe",
        [_NOBODY, *known],
        index=0 if old is None else 1 + list(known).index(old.key),
        format_func=lambda key: "nobody" if key == _NOBODY else known[key].title,
        key=state.visit_key("hit_marks"),
        help="Marks that a judge or people made on single contexts. A context that they call "
        "useful then counts as a hit although it says the evidence in other words. Only samples "
        "with gold texts (or a reference in their place) are compared by words; those with ids "
        "stay as they are. A hit by a mark bears the remark “Hit by proxy”.",
    )
    if old is not None and known[old.key].last_no > old.last_no:
        st.caption(":orange[There are newer marks than this run was compared with.]")
    return None if chosen == _NOBODY else known[chosen]


def _terms_line(found: HitRuleState) -> None:
    store = access.ready_store()
    name = hit_rules.terms_path(store).name
    st.caption(
        escape_line(
            f"Words from {name}. A file of your own: medical_terms.toml beside the store, or the "
            f"path in {hit_rules.TERMS_VARIABLE}."
        )
    )
    if hit_rules.is_outdated(store, found.rule):
        st.caption(":orange[The file has changed since this run was compared.]")


def _apply(run_id: str, n_samples: int, reference: bool, terms: bool, marks: Marks | None) -> None:
    store = access.ready_store()
    try:
        if n_samples <= INLINE:
            rule = hit_rules.wanted_rule(
                store, use_reference=reference, use_terms=terms, marks=marks
            )
            with st.spinner("Comparing contexts with the evidence …"):
                hit_rules.apply_rule(store, run_id, rule)
        else:
            key = "" if marks is None else marks.key
            hit_jobs.start(store, run_id, use_reference=reference, use_terms=terms, marks=key)
    except RagTriageError as error:
        st.error(escape(str(error)))
        return
    st.rerun()


@st.fragment(run_every=1.0)
def _moving(run_id: str) -> None:
    job = hit_jobs.newest(access.ready_store(), run_id)
    if job is None or not job.is_active:
        st.rerun()
    done = f"{count(job.done)} of {count(job.total)} samples compared"
    text = done if job.total else "Starting …"
    st.progress(
        job.done / job.total if job.total else 0.0,
        text=f"{text}; the figures below change when it is done",
        width=420,
    )


def _effect(effect: HitEffect) -> None:
    """How many samples the rule moved, each opening them, and the hit rate before and after."""
    change = effect.change
    parts = [f"Hit rate {percent(effect.before.value)} → {percent(effect.after.value)}"]
    if change is not None:
        ends = f"{points(change.low)} to {points(change.high)}"
        parts.append(f"{points(change.value)}, 95\u202f% interval {ends}, samples paired")
    if effect.n_assessed:
        parts.append(
            f"without gold and assessed by the reference: {count(effect.n_assessed)}, of these "
            f"hits {percent(effect.assessed.value)}"
        )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("What the setting changes: " + "; ".join(parts) + ".", width="stretch")
        for name, n, icon in (
            ("gained", effect.n_gained, ":material/add:"),
            ("lost", effect.n_lost, ":material/remove:"),
            ("assessed", effect.n_assessed, ":material/arrow_forward:"),
        ):
            if n and st.button(f"{count(n)} {name}", icon=icon, key=f"hit_change_{name}"):
                navigation.open_samples(state.current(), f"hit_change={name}")
