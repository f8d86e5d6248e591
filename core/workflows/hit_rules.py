"""What counts as a hit in a run: choosing it, working it out, and what it changes."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.metrics.hit_rule import PLAIN, HitRule, Marks
from core.metrics.intervals import Difference, Rate, paired_difference, wilson
from core.resources import resource
from core.store import context_marks, derived, hit_rules, queries
from core.store.connection import Connection, Store
from core.workflows import review
from core.workflows.deriving import derive_by
from core.workflows.hit_marks import find_marks, mark_choices

TERMS_VARIABLE = "RAGTRIAGE_MEDICAL_TERMS"
_TERMS_FILE = "medical_terms.toml"
_MISS, _HIT, _UNDEFINED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class HitEffect:
    """Matched samples under the plain rule and under that of the run.

    ``before`` and ``after`` are the hit rates of the samples whose hit is defined under both, and
    ``change`` their difference, samples paired. ``n_assessed`` samples were undefined before;
    ``assessed`` is their hit rate.
    """

    before: Rate
    after: Rate
    change: Difference | None
    n_gained: int
    n_lost: int
    n_assessed: int
    assessed: Rate

    def as_json(self) -> dict[str, Any]:
        """The effect as the command line prints it."""
        change = self.change
        return {
            "hit_rate_plain": self.before.as_json(),
            "hit_rate": self.after.as_json(),
            "change": {"value": change.value, "low": change.low, "high": change.high}
            if change
            else {"value": None, "reason": self.before.reason},
            "gained": self.n_gained,
            "lost": self.n_lost,
            "assessed": self.n_assessed,
            "hit_rate_of_assessed": self.assessed.as_json(),
        }


@dataclass(frozen=True, slots=True)
class HitRuleState:
    """The rule of a run and its effect under a view.

    ``n_without_gold`` samples have a reference and no gold evidence; ``n_several`` have more than
    one piece of evidence by the rule of the run. ``marks`` are those that a rule may believe.
    """

    rule: HitRule
    effect: HitEffect | None
    n_without_gold: int
    n_several: int
    marks: tuple[Marks, ...] = ()


def terms_path(store: Store) -> Path:
    """The table of medical words: a named file, the one beside the store, or the bundled one."""
    named = os.environ.get(TERMS_VARIABLE)
    if named:
        return Path(named)
    beside = store.path.parent / _TERMS_FILE
    return beside if beside.exists() else resource("data", _TERMS_FILE)


def wanted_rule(
    store: Store, *, use_reference: bool, use_terms: bool, marks: Marks | None = None
) -> HitRule:
    """A rule as somebody asks for it, with the table of words as it is now.

    Raises:
        BadInputError: the table cannot be read or is none.
    """
    if not use_terms:
        return HitRule(use_reference, marks=marks)
    path = terms_path(store)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise BadInputError(f"The medical terms in {path} cannot be read: {reason}.") from error
    rule = HitRule(use_reference, text, path.name, marks)
    rule.options()
    return rule


def apply_rule(
    store: Store, run_id: str, rule: HitRule, progress: Callable[[int, int], None] | None = None
) -> None:
    """Work out the hits by a rule, then let it count: until that moment nothing changes.

    Batches are kept at once, so that a killed process loses little and the next call goes on.

    Raises:
        NotFoundError: no such run.
        BadInputError: the rule's table of words is none.
    """
    # Samples may be appended meanwhile; the rule must not count before it knows them too.
    while True:
        derive_by(store, run_id, PLAIN)
        derive_by(store, run_id, rule, progress)
        with store.writing() as connection:
            found = queries.find_run(connection, run_id).run_id
            if not derived.underived(connection, found, rule.key):
                hit_rules.set_hit_rule(connection, found, rule)
                return


def change_rule(
    store: Store,
    run_id: str,
    use_reference: bool | None,
    use_terms: bool | None,
    progress: Callable[[int, int], None] | None = None,
    marks: str | None = None,
) -> None:
    """Switch parts of the rule of a run; None leaves a part as it is.

    ``marks`` names marks on single contexts that are believed from now on; "" believes none.

    Raises:
        NotFoundError: no such run.
        BadInputError: the table of medical words cannot be read or is none; no such marks.
    """
    old = rule_of(store, run_id)
    reference = old.use_reference if use_reference is None else use_reference
    believed = old.marks
    if marks is not None:
        believed = find_marks(store, run_id, marks) if marks else None
    if use_terms is None:
        rule = replace(old, use_reference=reference, marks=believed)
    else:
        rule = wanted_rule(store, use_reference=reference, use_terms=use_terms, marks=believed)
    apply_rule(store, run_id, rule, progress)


def rule_of(store: Store, run_id: str) -> HitRule:
    """The rule of a run.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        return hit_rules.hit_rule(connection, queries.find_run(connection, run_id).run_id)


def marked_contexts(store: Store, run_id: str, position: int) -> dict[int, bool]:
    """By rank what the marks of a sample say that the rule of its run believes.

    Raises:
        NotFoundError: no such run.
    """
    with store.reading() as connection:
        run_id = queries.find_run(connection, run_id).run_id
        marks = hit_rules.hit_rule(connection, run_id).marks
        if marks is None:
            return {}
        return context_marks.marked(connection, run_id, marks, [position]).get(position, {})


def hit_effect(connection: Connection, run_id: str, hit_share: float) -> HitEffect:
    """What the rule of the run changes for the matched samples."""
    return effect_of(hit_rules.hit_changes(connection, run_id, hit_share))


def effect_of(counts: Mapping[tuple[int, int], int]) -> HitEffect:
    """The effect from samples counted by (plain, by the rule): 1 hit, 0 miss, 2 undefined.

    >>> effect = effect_of({(1, 1): 5, (0, 1): 3, (0, 0): 2, (2, 1): 4, (2, 0): 1})
    >>> effect.before.value, effect.after.value, effect.n_assessed, effect.assessed.value
    (0.5, 0.8, 5, 0.8)
    """
    both = counts.get((_HIT, _HIT), 0)
    gained, lost = counts.get((_MISS, _HIT), 0), counts.get((_HIT, _MISS), 0)
    neither = counts.get((_MISS, _MISS), 0)
    new_hits, new_misses = counts.get((_UNDEFINED, _HIT), 0), counts.get((_UNDEFINED, _MISS), 0)
    n, reason = both + gained + lost + neither, "no sample has gold evidence"
    return HitEffect(
        before=wilson(both + lost, n, reason),
        after=wilson(both + gained, n, reason),
        change=paired_difference(both, gained, lost, neither),
        n_gained=gained,
        n_lost=lost,
        n_assessed=new_hits + new_misses,
        assessed=wilson(new_hits, new_hits + new_misses, "every hit was defined before"),
    )


def hit_rule_state(store: Store, run_id: str, view: review.View) -> HitRuleState:
    """What the pages say of the rule of a run under a view.

    Raises:
        NotFoundError: no such run.
    """
    with review.matched(store, run_id, view) as (connection, found):
        rule = hit_rules.hit_rule(connection, found.run.run_id)
        effect = None
        if rule.key:
            effect = hit_effect(connection, found.run.run_id, view.hit_share)
        without_gold = derived.n_reference_without_gold(connection, found.run.run_id)
        several = derived.n_several_pieces(connection, found.run.run_id)
        marks = mark_choices(connection, found)
    return HitRuleState(rule, effect, without_gold, several, marks)


def is_outdated(store: Store, rule: HitRule) -> bool:
    """True if the table of words has been edited since the rule was set."""
    if rule.terms is None:
        return False
    try:
        return terms_path(store).read_text(encoding="utf-8") != rule.terms
    except (OSError, UnicodeDecodeError):
        return True
