"""The metrics that compare answer and reference without a judge, and those of single claims.

None of them feeds an axis; the correctness axis takes from them as ``core.metrics.correctness``
says.
"""

from math import inf

from core.metrics.spec import Aggregate, Alias, CutRule, MetricSpec, Need
from core.model import Direction

_NEEDS = (Need.ANSWER, Need.REFERENCE)
_NO_REFERENCE = "the sample has no reference; the run has no answers"
_SQUAD = "Rajpurkar et al. (2016), SQuAD, EMNLP 2016"
_RAGX = "RAG-X (arXiv 2603.03541)"
_RAGCHECKER = "Ru et al. (2024), RAGChecker; code"
_CLAIM_NEEDS = (Need.ANSWER, Need.REFERENCE)
_CONTEXT_NEEDS = (Need.CONTEXTS, Need.ANSWER, Need.REFERENCE)
_BARE_NAME = "In a file of another tool this name may mean something else."

WITHOUT_JUDGE = (
    MetricSpec(
        id="exact_match",
        name="Exact match",
        one_sentence="Is the answer the same text as the expected one?",
        formula="1 if both are equal but for case, punctuation and articles, else 0",
        source=_SQUAD,
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when=_NO_REFERENCE,
        cut_rule=CutRule.BINARY,
        aggregate=Aggregate.MAJORITY,
        notes="Numbers stay whole: 1,577 is 1577.00, but 1.5 is not 15. Two empty texts are equal. "
        "Of several references the best counts.",
    ),
    MetricSpec(
        id="choice_match",
        name="Option chosen",
        one_sentence="Does the answer choose the option that the expected answer names?",
        formula="1 if both choose the same letter of a multiple-choice question, 0 if another",
        source=f"{_RAGX}; reading of the letter by this product",
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when="no verdict where answer or reference chooses no single letter",
        cut_rule=CutRule.BINARY,
        aggregate=Aggregate.MAJORITY,
        notes="It settles correctness both ways where no person did: another letter is wrong.",
    ),
    MetricSpec(
        id="token_f1",
        name="Token F1",
        one_sentence="How many words do answer and expected answer share?",
        formula="2 P R / (P + R); P = shared tokens / answer tokens, R = shared / reference tokens",
        source=_SQUAD,
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when=_NO_REFERENCE,
        cut_rule=CutRule.RATIO,
        aggregate=Aggregate.MEAN,
        notes="One side empty: 0. A long answer loses by its length even where it is right.",
    ),
    MetricSpec(
        id="rouge_l",
        name="ROUGE-L",
        one_sentence="How much of the two texts is the same words in the same order?",
        formula="2 P R / (P + R); P = LCS / answer tokens, R = LCS / reference tokens",
        source="Lin (2004), ROUGE, Text Summarization Branches Out",
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when=_NO_REFERENCE,
        cut_rule=CutRule.RATIO,
        aggregate=Aggregate.MEAN,
        notes="LCS: the longest sequence of tokens in both, gaps allowed. Nothing is stemmed.",
    ),
    MetricSpec(
        id="list_component_f1",
        name="List-component F1",
        one_sentence="Which part of an expected list does the answer name, and nothing else?",
        formula="2 P R / (P + R); P = matched / answer items, R = matched / reference items",
        source=f"{_RAGX}, bounded: each item is matched at most once",
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when=f"{_NO_REFERENCE}; the reference has no item",
        cut_rule=CutRule.RATIO,
        aggregate=Aggregate.MEAN,
        notes="Two items match if they share half of their words and have the same numbers and "
        "negations. Of each text the first 500 different items count.",
    ),
    MetricSpec(
        id="semantic_similarity",
        name="Semantic similarity (TF-IDF)",
        one_sentence="How similar are the rare words of answer and expected answer?",
        formula="cosine of the TF-IDF vectors, weights from the texts of the run",
        source="Definition of this product (scikit-learn's TF-IDF)",
        needs=_NEEDS,
        lo=0,
        hi=1,
        undefined_when=f"{_NO_REFERENCE}; a text without a word",
        cut_rule=CutRule.COSINE,
        aggregate=Aggregate.MEAN,
        notes="Blind to negation and to numbers: never the only evidence that an answer is right.",
    ),
    MetricSpec(
        id="answer_similarity_embed",
        name="Semantic similarity (embeddings)",
        one_sentence="How similar are answer and expected answer to an embedding model?",
        formula="cosine of the embeddings of answer and reference; the best of several references",
        source="Definition of this product; the model judge asks the embedding model it is given",
        needs=_NEEDS,
        lo=-1,
        hi=1,
        undefined_when=f"{_NO_REFERENCE}; no embedding model is named",
        cut_rule=CutRule.COSINE,
        aggregate=Aggregate.MEAN,
        notes="Blind to negation and to numbers: never the only evidence that an answer is right.",
    ),
    MetricSpec(
        id="answer_words",
        name="Length of the answer",
        one_sentence="How many words does the answer have?",
        formula="tokens of the answer",
        source="Definition of this product",
        needs=(Need.ANSWER,),
        lo=0,
        hi=inf,
        undefined_when="the run has no answers",
        cut_rule=CutRule.NONE,
        aggregate=Aggregate.MEAN,
        notes="Neither better nor worse; it shows whether a score follows the length.",
    ),
)


def _claims(
    metric: str,
    name: str,
    question: str,
    formula: str,
    undefined_when: str,
    *,
    needs: tuple[Need, ...] = _CONTEXT_NEEDS,
    direction: Direction = Direction.HIGHER,
    alias: str | None = None,
    notes: str = "",
) -> MetricSpec:
    return MetricSpec(
        id=metric,
        name=name,
        one_sentence=question,
        formula=formula,
        source=_RAGCHECKER,
        needs=needs,
        lo=0,
        hi=1,
        undefined_when=undefined_when,
        cut_rule=CutRule.RATIO,
        aggregate=Aggregate.MEAN,
        direction=direction,
        aliases=(Alias("ragchecker", metric if alias is None else alias),) if alias != "" else (),
        notes=notes,
    )


CLAIM_LEVEL = (
    _claims(
        "precision",
        "Claim precision",
        "Which part of the answer's claims does the expected answer contain?",
        "answer claims entailed by the reference / answer claims",
        "the answer makes no claim",
        needs=_CLAIM_NEEDS,
        notes=f"With both noise sensitivities and hallucination it adds up to 1. {_BARE_NAME}",
    ),
    _claims(
        "recall",
        "Claim recall of the answer",
        "Which part of the expected answer's claims does the answer contain?",
        "reference claims entailed by the answer / reference claims",
        "the reference makes no claim",
        needs=_CLAIM_NEEDS,
        notes=_BARE_NAME,
    ),
    _claims(
        "f1",
        "Claim F1",
        "How far do the claims of answer and expected answer agree, claim by claim?",
        "2 P R / (P + R); P = claim precision, R = claim recall of the answer",
        "answer or reference makes no claim",
        needs=_CLAIM_NEEDS,
        notes=f"For a run the mean of the samples' F1, not the F1 of means. {_BARE_NAME}",
    ),
    _claims(
        "supported_precision",
        "Right and supported claims",
        "Which part of the answer is right and in one of the retrieved texts?",
        "answer claims entailed by the reference and by some context / answer claims",
        "the answer makes no claim; nothing was retrieved",
        alias="",
        notes="Precision without self-knowledge: what is right for a reason.",
    ),
    _claims(
        "claim_recall",
        "Claim recall of the retriever",
        "Which part of the expected answer's claims do the retrieved texts contain?",
        "reference claims entailed by some context / reference claims",
        "the reference makes no claim",
        needs=(Need.CONTEXTS, Need.REFERENCE),
        notes="Nothing retrieved gives 0.",
    ),
    _claims(
        "context_precision_chunks",
        "Share of useful contexts",
        "Which part of the retrieved texts contains something of the expected answer?",
        "contexts that entail a reference claim / contexts",
        "nothing was retrieved; the reference makes no claim",
        needs=(Need.CONTEXTS, Need.REFERENCE),
        alias="context_precision",
        notes="Rank does not matter, unlike in context precision.",
    ),
    _claims(
        "context_utilization",
        "Context utilization",
        "Which part of the evidence that was found reached the answer?",
        "reference claims entailed by a context and by the answer / those entailed by a context",
        "no context entails a reference claim (RAGChecker writes 0)",
        notes="Not the Ragas metric of that name, which is context precision without reference.",
    ),
    _claims(
        "hallucination",
        "Hallucinated claims",
        "Which part of the answer is wrong and in none of the retrieved texts?",
        "answer claims entailed neither by the reference nor by any context / answer claims",
        "the answer makes no claim; nothing was retrieved",
        direction=Direction.LOWER,
        notes=f"Lower is better. {_BARE_NAME}",
    ),
    _claims(
        "self_knowledge",
        "Self-knowledge",
        "Which part of the answer is right although none of the retrieved texts says so?",
        "answer claims entailed by the reference and by no context / answer claims",
        "the answer makes no claim; nothing was retrieved",
        direction=Direction.LOWER,
        notes="A lucky guess, claim by claim: nothing wrong, and nothing to rely on. "
        "With faithfulness and hallucination it adds up to 1.",
    ),
    MetricSpec(
        id="context_useful",
        name="Useful context",
        one_sentence="Does this retrieved text contain something of the expected answer?",
        formula="1 if the context entails a claim of the reference, else 0",
        source=_RAGCHECKER,
        needs=(Need.CONTEXT, Need.REFERENCE),
        lo=0,
        hi=1,
        undefined_when="the reference makes no claim",
        cut_rule=CutRule.BINARY,
        aggregate=Aggregate.MAJORITY,
        notes="A verdict about one context, from the labels of claims.",
    ),
)
