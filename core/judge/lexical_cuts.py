"""Cuts that come with ``lexical-v1``: chosen once on labelled data, with the figures behind them.

Each was chosen on the tune halves (samples whose id has a SHA-256 that begins with an even digit)
of the data that it names; ``tests/bench/offline_judge.py --cuts`` repeats the choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.model import Axis

_RULE = (
    "the hundredth with the largest mean of Youden's J = TPR - FPR: mean over the runs of a data"
    " set, then over the data sets; of equals the highest"
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut and how it was chosen: scores at or above ``value`` count as high.

    ``tpr`` and ``fpr`` (shares at the cut, means as in ``rule``) come from the same ``n`` cases
    that the cut was chosen on, so they are optimistic; ``n_positive`` of these should be high.
    """

    value: float
    data: str
    target: str
    tpr: float
    fpr: float
    n: int
    n_positive: int
    rule: str = _RULE
    date: str = "2026-11-30"


_FAITHFUL = "begin_wow, mtrag_human"

CUTS: Mapping[str, Cut] = MappingProxyType(
    {
        Axis.CONTEXT_RELEVANCE.value: Cut(
            value=0.31,
            data="pubmedqa_bm25, xquad_de_bm25",
            target="gold contexts against the others that were retrieved",
            tpr=0.817,
            fpr=0.126,
            n=5290,
            n_positive=1698,
        ),
        Axis.GROUNDEDNESS.value: Cut(
            value=0.63,
            data=_FAITHFUL,
            target="label faithful, without refusals",
            tpr=0.934,
            fpr=0.258,
            n=2228,
            n_positive=974,
        ),
        Axis.ANSWER_RELEVANCE.value: Cut(
            value=0.19,
            data="mtrag_human, delucionqa, financebench_answers, xquad_de_bm25, pubmedqa_bm25",
            target="a sample's own question against the next sample's, without refusals",
            tpr=0.942,
            fpr=0.078,
            n=5974,
            n_positive=2987,
        ),
        Axis.ADHERENCE.value: Cut(
            value=0.62,
            data=_FAITHFUL,
            target="label faithful",
            tpr=0.957,
            fpr=0.268,
            n=2243,
            n_positive=979,
        ),
        Axis.CORRECTNESS.value: Cut(
            value=0.73,
            data="financebench_answers",
            target="label correct, without answers labelled as refusals",
            tpr=0.740,
            fpr=0.112,
            n=747,
            n_positive=509,
        ),
    }
)
"""By metric. Refusal has none: its values are 0 and 1."""

SENTENCE_CUT = Cut(
    value=0.68,
    data=_FAITHFUL,
    target="label faithful, predicted where at least half of the sentences reach the cut",
    tpr=0.880,
    fpr=0.248,
    n=2228,
    n_positive=974,
)
"""A sentence of an answer with less support than this is shown as unsupported."""
