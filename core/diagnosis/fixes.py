"""What to repair first: groups of failing modes that one and the same repair addresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.diagnosis.modes import MODES, Side
from core.diagnosis.summary import Summary
from core.model import Mode

RULE = (
    "A repair is counted with every failing sample whose mode it addresses: the retriever's with "
    "the modes of the retrieval side, the refusal rule's with over-refusals, and so on. That many "
    "samples would pass at most; some will need a second repair, so measure again after the first."
)


@dataclass(frozen=True, slots=True)
class Fix:
    """One repair: the modes it addresses, the first of them being the one it is known for."""

    id: str
    name: str
    side: Side
    modes: tuple[Mode, ...]

    @property
    def step(self) -> str:
        """What to try first."""
        return MODES[self.modes[0]].fixes[0]


_FIXES = (
    Fix(
        "retriever",
        "Repair the retriever",
        Side.RETRIEVAL,
        (
            Mode.RETRIEVAL_FAILURE,
            Mode.CONFABULATION,
            Mode.UNGROUNDED_ANSWER,
            Mode.LUCKY_GUESS,
            Mode.PIPELINE_FAILURE,
        ),
    ),
    Fix("weak_contexts", "Sort out weak contexts", Side.RETRIEVAL, (Mode.SCORE_CONFLICT,)),
    Fix(
        "evidence",
        "Ground the answers",
        Side.GENERATION,
        (Mode.HALLUCINATION,),
    ),
    Fix(
        "prompt",
        "Check the prompt",
        Side.GENERATION,
        (Mode.GENERATION_BREAKDOWN,),
    ),
    Fix(
        "question",
        "Answer the question",
        Side.GENERATION,
        (Mode.OFF_TARGET_ANSWER,),
    ),
    Fix(
        "refusals",
        "Loosen the refusal rule",
        Side.REFUSAL,
        (Mode.OVER_REFUSAL,),
    ),
)

FIXES: Mapping[str, Fix] = MappingProxyType({fix.id: fix for fix in _FIXES})
"""All repairs; every failing mode belongs to exactly one of them."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A fix with the ``n`` failing samples that it addresses, and how many of which mode."""

    fix: Fix
    n: int
    modes: tuple[tuple[Mode, int], ...]


def fix_first(summary: Summary) -> tuple[Repair, ...]:
    """Repairs of the failures of a run, the one that addresses most samples first.

    At a tie the worse mode decides; repairs that address nothing are left out.
    """
    found = [
        Repair(
            fix,
            sum(summary.modes[mode] for mode in fix.modes),
            tuple(
                sorted(
                    ((mode, summary.modes[mode]) for mode in fix.modes if summary.modes[mode]),
                    key=lambda item: (-item[1], MODES[item[0]].severity),
                )
            ),
        )
        for fix in _FIXES
    ]
    return tuple(
        sorted(
            (repair for repair in found if repair.n),
            key=lambda repair: (-repair.n, min(MODES[mode].severity for mode, _ in repair.modes)),
        )
    )
