import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import theme as look
from dashboard.theme import DARK, LIGHT

NASTY = [
    "see https://evil.example/a?b=1 and HTTP://UP.example",
    "www.evil.example and WWW.evil.example",
    "mail a@b.example or mailto:a@b.example, x_y-z@a.b.c",
    "[text](http://x) ![pic](http://x/y.png) [ref][1] <http://auto.example> [^1]",
    "<b>bold</b> <img src=x onerror=alert(1)> <script>x</script> &amp; &#60; <!-- c -->",
    "costs $5 and $10, $$x^2$$, \\(y\\), \\[z\\]",
    ":tada: :+1: :-1: :100: :smile:",
    ":material/home: :streamlit: :red[x] :blue-background[x] :color[x]{foreground='red'} ::leaf",
    "a -> b <- c <-> d -- e >= f <= g ~= h => i --- j",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "# heading\n## two\n- item\n+ item\n* item\n1. one\n2) two\n> quote\n---\n===",
    "`code` ```fence``` ~~gone~~ **bold** __bold__ *it* _it_ ~~~",
    "first\n\n    indented\n\ttabbed",
    "ends with a backslash \\\nand goes on \\",
    "\\`\\*\\_already\\_escaped\\*",
]

# What the renderer still rewrites in plain text after the markdown is parsed.
REWRITES = [
    r"(?i)https?://",
    r"(?i)www\.",
    r"[-.\w+]+@[-\w]+(\.[-\w]+)+",
    r"(?i)(mailto|xmpp):\w",
    r"(^|\s)(<->|->|<-|--|>=|<=|~=)(\s|$)",
    r":\+1:|:-1:|:[\w-]+:",
    r":material/",
]


def shown(markdown: str) -> str:
    """What is left when the backslashes are taken away, as a markdown parser does."""
    return re.sub(rf"\\([{re.escape(string.punctuation)}])", r"\1", markdown)


def is_escaped(markdown: str) -> bool:
    bare = re.sub(rf"\\[{re.escape(string.punctuation)}]", "", markdown)
    return not any(mark in bare for mark in string.punctuation)


@pytest.mark.parametrize("text", NASTY)
def test_escape_leaves_nothing_to_render_or_to_rewrite(text: str) -> None:
    result = look.escape(text)
    assert is_escaped(result)
    for pattern in REWRITES:
        assert not re.search(pattern, shown(result)), pattern
    assert not re.search(r"(?m)^[ \t]+\S", result)  # four spaces would make a code block


@pytest.mark.parametrize("text", NASTY)
def test_the_list_is_nasty_without_the_joiners(text: str) -> None:
    patterns = [*REWRITES, rf"[{re.escape(string.punctuation)}]", r"(?m)^[ \t]+\S"]
    assert any(re.search(pattern, text) for pattern in patterns)


@given(st.text())
def test_escape_changes_no_visible_character(text: str) -> None:
    result = look.escape(text)
    assert is_escaped(result)
    visible = re.sub(r"[\s\u2060]", "", shown(result))
    assert visible == re.sub(r"[\s\u2060]", "", text)


def test_escape_keeps_line_breaks_and_indentation() -> None:
    assert look.escape("a\nb\r\nc\rd") == "a  \nb  \nc  \nd"
    assert look.escape("a\n\n    b") == "a  \n  \n\u00a0\u00a0\u00a0\u00a0b"
    assert look.escape("") == ""


def test_escape_line_makes_one_line_for_a_label() -> None:
    assert look.escape_line("  two\n lines *here* ") == r"two lines \*here\*"


def test_superscript() -> None:
    assert look.superscript(1203) == "¹²⁰³"


STYLE = '{background="#FBD9DB" foreground="#11151A"}'


def test_marked_answer_without_spans_is_the_escaped_text() -> None:
    assert look.marked_answer("a *b*\nc", [], LIGHT) == look.escape("a *b*\nc")


def test_marked_answer_marks_and_numbers_a_span() -> None:
    text = "Safe. Not so!"
    assert look.marked_answer(text, [(6, 13)], LIGHT) == rf"Safe\. :color[Not so\! ¹]{STYLE}"


def test_marked_answer_numbers_by_place_in_the_list_and_sorts() -> None:
    result = look.marked_answer("one two three", [(8, 13), (0, 3)], LIGHT)
    assert result == f":color[one ²]{STYLE} two :color[three ¹]{STYLE}"


def test_marked_answer_clips_and_never_overlaps() -> None:
    result = look.marked_answer("abcdef", [(-3, 2), (1, 4), (2, 3), (5, 99), (70, 80)], LIGHT)
    assert result == f":color[ab ¹]{STYLE}:color[cd ²]{STYLE}e:color[f ⁴]{STYLE}"


def test_marked_answer_never_lets_a_mark_span_a_line_break() -> None:
    result = look.marked_answer("start\n\nend of it", [(2, 10)], LIGHT)
    assert result == f"st:color[art]{STYLE}  \n  \n:color[end ¹]{STYLE} of it"


def test_marked_answer_takes_the_colours_of_the_theme() -> None:
    assert f'background="{DARK.mark}" foreground="{DARK.ink}"' in look.marked_answer(
        "x", [(0, 1)], DARK
    )


@given(st.text(), st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=5))
def test_marked_answer_loses_no_text(text: str, spans: list[tuple[int, int]]) -> None:
    digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    text = text.translate({ord(digit): None for digit in digits})
    result = look.marked_answer(text, spans, LIGHT)
    # Only our own brackets are unescaped.
    bare = re.sub(rf"(?<!\\)((?:\\\\)*)\]{re.escape(STYLE)}", r"\1", result)
    bare = re.sub(r"(?<!\\)((?:\\\\)*):color\[", r"\1", bare)
    assert is_escaped(bare)
    visible = re.sub(rf"[\s\u2060{digits}]", "", shown(bare))
    assert visible == re.sub(r"[\s\u2060]", "", text)
