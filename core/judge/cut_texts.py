"""Texts that were cut before a file was saved: a verdict about them says so."""

from collections.abc import Collection
from dataclasses import replace

from core.model import SampleText, Verdict

DETAIL = "cut_texts"
"""Key of a verdict's detail: which of the texts that were judged had been cut."""


def noted(verdict: Verdict, sample: SampleText, shown: Collection[str]) -> Verdict:
    """The verdict, flagged if one of the texts that were shown had been cut.

    Args:
        verdict: about the sample.
        sample: what was judged.
        shown: those of "answer" and "context" that the judge has read.
    """
    cut = [name for name in sample.cut_texts if name in shown]
    if not cut:
        return verdict
    return replace(verdict, detail={**(verdict.detail or {}), DETAIL: cut})
