"""Build `demo.jsonl`: two runs over the same questions that differ in their retriever.

Retrieval is computed here with BM25; answers, scores and labels come from `answers.jsonl`, claims
and what entails them from `claims.jsonl`, where they were authored. Needs the standard library only
and gives the same bytes every time.

    python data/demo/build.py --summary
"""

import argparse
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CUT = 4  # a rubric score of 4 or 5 counts as High
RUBRICS = ("context_relevance_rubric", "groundedness_rubric", "answer_relevance_rubric")
NOTE = (
    "The handbook, the questions and the bike are invented. Retrieval was computed with BM25; the "
    "answers, the rubric scores and the labels were authored for this demo, not measured; they "
    "stand for a generator, an imported judge and a reviewer."
)

# Words that say nothing about the topic of a question, English and German.
STOP_WORDS = frozenset(
    """a about all am an and any are as at be been before below but by can cannot do does for from
    get give given go has have how i if in instead into is it its long many may me mine more much
    must my need needs never new no not of off often on once one or our out she should so still
    that the their them then there these they this to together up us use was what when where which
    while who will with you your aber auch auf bis darf das dass dem den der des die ein eine
    einem einen einer es ich ihr im in ist mit nie nur oder sie sind steht und viel viele was
    welche wenn wie zu zum""".split()
)
# Longest first, so that "ations" goes before "s".
SUFFIXES = ("ations", "ation", "ings", "ers", "ing", "ied", "ies", "est", "ed", "er", "es", "en")
SUFFIXES_LAST = ("e", "s", "y", "n")
MIN_STEM = 3


@dataclass(frozen=True, slots=True)
class Setting:
    """One retriever: how text becomes terms, the two BM25 constants and the depth."""

    run: str
    created_at: str
    k1: float
    b: float
    depth: int
    stop_words: bool
    stem: bool
    question_tokens: int | None  # only that many leading tokens of the question; None = all

    def config(self) -> dict[str, Any]:
        """Settings as they are written to `run_info.config`."""
        return {
            "retriever": "bm25",
            "k1": self.k1,
            "b": self.b,
            "depth": self.depth,
            "stop_words": self.stop_words,
            "stem": self.stem,
            "question_tokens": self.question_tokens,
            "corpus": "handbook.jsonl",
        }


SETTINGS = (
    Setting(
        run="handbook · k3 plain",
        created_at="2026-11-09T08:30:00Z",
        k1=0.9,
        b=0.4,
        depth=3,
        stop_words=False,
        stem=False,
        question_tokens=6,
    ),
    Setting(
        run="handbook · k5 stemmed",
        created_at="2026-11-16T08:30:00Z",
        k1=1.2,
        b=0.75,
        depth=5,
        stop_words=True,
        stem=True,
        question_tokens=None,
    ),
)


def tokens(text: str) -> list[str]:
    """Runs of letters and digits in lower case, after NFKC."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower())


def stem(token: str) -> str:
    """Cut one ending, undo a doubled consonant, cut a last vowel or s; digits stay as they are."""
    if any(c.isdigit() for c in token):
        return token
    for endings in (SUFFIXES, SUFFIXES_LAST):
        for ending in endings:
            if token.endswith(ending) and len(token) - len(ending) >= MIN_STEM:
                token = token[: -len(ending)]
                break
        if len(token) > MIN_STEM and token[-1] == token[-2] and token[-1] not in "aeiouls":
            token = token[:-1]
    return token


def terms(text: str, setting: Setting, limit: int | None = None) -> list[str]:
    """The terms of a text under a setting; `limit` keeps only the first raw tokens."""
    found = tokens(text)[:limit]
    if setting.stop_words:
        found = [t for t in found if t not in STOP_WORDS]
    return [stem(t) for t in found] if setting.stem else found


class Bm25:
    """BM25 with the never negative idf ln(1 + (N - n + 0.5) / (n + 0.5))."""

    def __init__(self, documents: Sequence[Sequence[str]], k1: float, b: float) -> None:
        self._counts = [Counter(d) for d in documents]
        mean_length = sum(len(d) for d in documents) / len(documents)
        self._k1 = k1
        self._norms = [k1 * (1 - b + b * len(d) / mean_length) for d in documents]
        n_with = Counter(t for counts in self._counts for t in counts)
        self._idf = {
            t: math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for t, n in n_with.items()
        }

    def search(self, query: Iterable[str], depth: int) -> list[tuple[int, float]]:
        """Best document numbers with scores; ties keep the order of the corpus, zeros are left out.

        Scores are rounded to 4 places before they are sorted, so that the order never hangs on the
        last bit of a sum.
        """
        wanted = list(query)
        ranked = []
        for number, (counts, norm) in enumerate(zip(self._counts, self._norms, strict=True)):
            score = math.fsum(
                self._idf[t] * counts[t] * (self._k1 + 1) / (counts[t] + norm)
                for t in wanted
                if t in counts
            )
            if score > 0:
                ranked.append((number, round(score, 4)))
        ranked.sort(key=lambda hit: (-hit[1], hit[0]))
        return ranked[:depth]


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """All objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def run_info(setting: Setting) -> dict[str, Any]:
    """What the first line of a run says about the whole run."""
    return {
        "name": setting.run,
        "tool": "RAG Triage demo",
        "created_at": setting.created_at,
        "config": setting.config(),
        "note": NOTE,
        "metrics": {name: {"lo": 1, "hi": 5, "direction": "higher"} for name in RUBRICS},
    }


def labels_of(question: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, int]:
    """Labels of one sample: the answer's own, and `answerable` unless the answer withholds it."""
    labels: dict[str, int] = dict(answer["labels"])
    if "answerable" not in answer.get("withheld", ()):
        labels["answerable"] = int(question["answerable"])
    return labels


def claims_of(row: Mapping[str, Any], contexts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The claims of one sample with what entails them, in the order of its contexts."""

    def by_context(claim: Mapping[str, Any]) -> list[str]:
        words = dict.fromkeys(claim.get("entailed_by", ()), "entailed")
        words |= dict.fromkeys(claim.get("contradicted_by", ()), "contradicted")
        return [words.get(context["doc_id"], "neutral") for context in contexts]

    found: dict[str, Any] = {
        side: [claim["claim"] for claim in row[side]] for side in ("answer", "reference")
    }
    found["answer_by_reference"] = [claim["verdict"] for claim in row["answer"]]
    found["reference_by_answer"] = [claim["verdict"] for claim in row["reference"]]
    found["answer_by_context"] = [by_context(claim) for claim in row["answer"]]
    found["reference_by_context"] = [by_context(claim) for claim in row["reference"]]
    return found


def samples_of(
    setting: Setting,
    handbook: Sequence[Mapping[str, Any]],
    questions: Sequence[Mapping[str, Any]],
    answers: Mapping[tuple[str, str], Mapping[str, Any]],
    claims: Mapping[tuple[str, str], Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The samples of one run in the order of the questions.

    Raises:
        KeyError: a question has no answer in this run.
    """
    index = Bm25([terms(d["text"], setting) for d in handbook], setting.k1, setting.b)
    samples: list[dict[str, Any]] = []
    for question in questions:
        answer = answers[setting.run, question["question_id"]]
        query = terms(question["question"], setting, setting.question_tokens)
        contexts = [
            {
                "doc_id": handbook[number]["doc_id"],
                "text": handbook[number]["text"],
                "rank": rank,
                "score": score,
            }
            for rank, (number, score) in enumerate(index.search(query, setting.depth), start=1)
        ]
        sample = {
            "run": setting.run,
            "sample_id": question["question_id"],
            "question": question["question"],
            "answer": answer["answer"],
            "reference": question["reference"],
            "contexts": contexts,
            "gold_doc_ids": question["gold_doc_ids"],
            "scores": answer["scores"],
            "labels": labels_of(question, answer),
            "tags": question["tags"],
        }
        claimed = claims.get((setting.run, question["question_id"]))
        if claimed is not None:
            sample["claims"] = claims_of(claimed, contexts)
        if not samples:
            sample["run_info"] = run_info(setting)
        samples.append(sample)
    return samples


def build(folder: Path = HERE) -> list[dict[str, Any]]:
    """All samples of both runs, from the four authored files in `folder`.

    Raises:
        KeyError: a question without an answer in one of the runs.
        ValueError: an answer that belongs to no question or run, or occurs twice.
    """
    handbook = read_jsonl(folder / "handbook.jsonl")
    questions = read_jsonl(folder / "questions.jsonl")
    rows = read_jsonl(folder / "answers.jsonl")
    answers = {(row["run"], row["question_id"]): row for row in rows}
    if len(rows) != len(answers) or len(answers) != len(SETTINGS) * len(questions):
        raise ValueError("answers.jsonl must hold each question once in each run")
    claims = {(row["run"], row["question_id"]): row for row in read_jsonl(folder / "claims.jsonl")}
    return [
        sample
        for setting in SETTINGS
        for sample in samples_of(setting, handbook, questions, answers, claims)
    ]


def as_text(samples: Iterable[Mapping[str, Any]]) -> str:
    """The samples as JSON Lines with a line feed after each."""
    return "".join(json.dumps(s, ensure_ascii=False) + "\n" for s in samples)


def pattern(sample: Mapping[str, Any]) -> str:
    """What a sample counts as in the summary: a refusal, or its three rubric scores as H, L, ?."""
    if sample["labels"].get("refused") == 1:
        return "refusal"
    scores = [sample["scores"].get(name) for name in RUBRICS]
    return "".join("?" if s is None else "H" if s >= CUT else "L" for s in scores)


def summary(samples: Sequence[Mapping[str, Any]]) -> str:
    """Counts per run: samples, gold found, correct, and how often each pattern occurs."""
    lines = []
    for setting in SETTINGS:
        own = [s for s in samples if s["run"] == setting.run]
        gold = [s for s in own if s["gold_doc_ids"]]
        hits = sum(any(c["doc_id"] in s["gold_doc_ids"] for c in s["contexts"]) for s in gold)
        correct = [s["labels"]["correct"] for s in own if "correct" in s["labels"]]
        lines.append(f"{setting.run}: {len(own)} samples, gold found in {hits} of {len(gold)}")
        lines.append(f"  correct: {sum(correct)} of {len(correct)} labelled")
        lines += [f"  {n:3d}  {name}" for name, n in sorted(Counter(map(pattern, own)).items())]
    lines.append("patterns: context relevance, groundedness, answer relevance at 4 of 5 or above")
    return "\n".join(lines)


def main() -> None:
    """Write the demo file and, if asked, print its counts."""
    parser = argparse.ArgumentParser(description="Build the two demo runs.")
    parser.add_argument("--out", type=Path, default=HERE / "demo.jsonl", help="file to write")
    parser.add_argument("--summary", action="store_true", help="print counts per run")
    arguments = parser.parse_args()
    samples = build()
    arguments.out.write_text(as_text(samples), encoding="utf-8", newline="\n")
    if arguments.summary:
        print(summary(samples))


if __name__ == "__main__":
    main()
