from itertools import pairwise

import pytest

from core.text import (
    MAX_SENTENCE_CHARS,
    bigram_overlap,
    ngrams,
    normalise,
    sentences,
    token_overlap,
    tokens,
)


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix_it: 2.5 mm", ["fix", "it", "2", "5", "mm"]),
        ("ＡＢ ﬁlter Ⅳ ½", ["ab", "filter", "iv", "1", "2"]),  # NFKC: ½ becomes 1⁄2
        ("STRASSE Straße İ", ["strasse", "straße", "i"]),
        ("你好，world世界2", ["你", "好", "world", "世", "界", "2"]),
        ("カメラ 카메라 كاميرا", ["カメラ", "카메라", "كاميرا"]),
        ("\x00…!?_", []),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_normalise_leaves_plain_text_in_lower_case() -> None:
    assert normalise("Ab C") == "ab c"
    assert normalise("ﬀ") == "ff"


def test_ngrams_of_a_short_text_are_empty() -> None:
    assert ngrams(["a"], 2) == []
    assert ngrams(["a", "b", "c", "d"], 3) == [("a", "b", "c"), ("b", "c", "d")]


def test_token_overlap_counts_distinct_tokens() -> None:
    # Answer: the, lamp, is, red (4 distinct); contexts hold the, lamp, red.
    assert token_overlap("The lamp is the red lamp", ["A red lamp", "the end"]) == 3 / 4


def test_bigram_overlap_has_no_pair_across_contexts() -> None:
    # Pairs of the answer: (a, b), (b, c). The contexts end in b and begin with c: no (b, c).
    assert bigram_overlap("a b c", ["a b", "c d"]) == 1 / 2


@pytest.mark.parametrize(("answer", "contexts"), [("", ["text"]), ("...", ["text"]), ("word", [])])
def test_overlap_is_undefined_without_words_or_contexts(answer: str, contexts: list[str]) -> None:
    assert token_overlap(answer, contexts) is None
    assert bigram_overlap(answer, contexts) is None


def test_bigram_overlap_is_undefined_for_one_word() -> None:
    assert bigram_overlap("word", ["word"]) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # English
        (
            "Dr. Roth rode 3.5 km. Did Mr. Hale? No!",
            ["Dr. Roth rode 3.5 km.", "Did Mr. Hale?", "No!"],
        ),
        ("See fig. 4 and no. 7. It is clear.", ["See fig. 4 and no. 7.", "It is clear."]),
        ("I say no. He says yes.", ["I say no.", "He says yes."]),
        ("Sold in the U.S. The price fell.", ["Sold in the U.S.", "The price fell."]),
        ("Use oil, e.g. Castor. Wipe it.", ["Use oil, e.g. Castor.", "Wipe it."]),
        ('It read "Stop." Then it beeped.', ['It read "Stop."', "Then it beeped."]),
        ("J. K. Brown wrote it. We read it.", ["J. K. Brown wrote it.", "We read it."]),
        ("Wait... what? Oh.", ["Wait... what?", "Oh."]),
        ("it is ok . so it is .", ["it is ok .", "so it is ."]),  # text in tokens
        # German
        (
            "Am 3. Mai kam Hr. Dr. Beck z. B. mit 2 Mio. Euro. Er blieb bis 1999. Dann ging er.",
            [
                "Am 3. Mai kam Hr. Dr. Beck z. B. mit 2 Mio. Euro.",
                "Er blieb bis 1999.",
                "Dann ging er.",
            ],
        ),
        # French, Spanish, Italian
        (
            "M. Petit a 3 vélos, p.ex. un rouge. Il roule.",
            ["M. Petit a 3 vélos, p.ex. un rouge.", "Il roule."],
        ),
        (
            "El Sr. Gil vive en EE.UU. desde 2001. ¿Por qué? No sé.",
            ["El Sr. Gil vive en EE.UU. desde 2001.", "¿Por qué?", "No sé."],
        ),
        (
            "L'ing. Verdi ha olio, viti, ecc. Il resto manca.",
            ["L'ing. Verdi ha olio, viti, ecc.", "Il resto manca."],
        ),
        # Scripts with stops of their own
        ("它很重。真的吗？是“21公斤”。", ["它很重。", "真的吗？", "是“21公斤”。"]),
        ("重いです。21キロ！", ["重いです。", "21キロ！"]),
        ("هل هو ثقيل؟ نعم.", ["هل هو ثقيل؟", "نعم."]),
        ("यह भारी है। हाँ।", ["यह भारी है।", "हाँ।"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_sentences_end_at_list_items_headings_and_empty_lines_only() -> None:
    text = "Title\n\nFirst line\ngoes on here\n- one\n- two\n2) three\n# Head\n| a | b |"
    assert pieces(text) == [
        "Title",
        "First line\ngoes on here",
        "- one",
        "- two",
        "2) three",
        "# Head",
        "| a | b |",
    ]


def test_numbers_of_list_items_end_no_sentence() -> None:
    assert pieces("1. Open it. 2. Close it.") == ["1. Open it.", "2. Close it."]


def test_spans_point_into_the_original_text() -> None:
    text = "  ﬁrst one.\r\n\r\n\tSecond ½?  "
    assert sentences(text) == [(2, 11), (16, 25)]
    assert pieces(text) == ["ﬁrst one.", "Second ½?"]


@pytest.mark.parametrize("text", ["", " \n\t ", "\u2029"])
def test_no_sentence_in_white_space(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "." * 1_000_000,
        "." * 500_000 + ")" * 500_000,
        ".)" * 500_000,
        "\n" * 1_000_000,
        "\n   \n   " * 125_000,
        "A. B " * 200_000,
        "好。" * 500_000,
        "\x00" * 1_000_000,
        "word " * 200_000,
    ],
    ids=["word", "stops", "closers", "pairs", "lines", "blank", "initials", "cjk", "nul", "words"],
)
def test_a_million_characters(text: str) -> None:
    spans = sentences(text)
    assert all(0 < end - start <= MAX_SENTENCE_CHARS for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    # Nothing but white space lies outside the spans.
    kept = sum(end - start for start, end in spans)
    assert kept >= len("".join(text.split()))
