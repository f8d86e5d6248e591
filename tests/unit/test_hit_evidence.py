"""The hit function beyond one id and one text: groups, grades, bases, policies, further stages."""

import pytest

from core.metrics.hits import ALL, ANY, HitOptions, HitPolicy, find_hits
from core.model import Cause, Context, Gold


def _ids(*ids: str | None) -> list[Context]:
    return [Context(rank, "text", doc_id) for rank, doc_id in enumerate(ids, 1)]


def _texts(*texts: str) -> list[Context]:
    return [Context(rank, text) for rank, text in enumerate(texts, 1)]


# --- pieces of evidence ---------------------------------------------------------------------------


def test_each_context_says_which_pieces_it_holds() -> None:
    hits = find_hits(_ids("b", "x", "a"), [Gold("a"), Gold("b"), Gold("c")])
    assert hits.held == ((1,), (), (0,))
    assert (hits.n_held(1), hits.n_held(), len(hits.grades)) == (1, 2, 3)


def test_a_group_is_one_piece_of_which_any_member_will_do() -> None:
    # [["a", "b"], ["c"]]: (a or b) and c
    gold = [Gold("a", group="1"), Gold("b", group="1"), Gold("c", group="2")]
    hits = find_hits(_ids("a", "b"), gold)
    assert hits.held == ((0,), (0,))
    assert (hits.n_held(), len(hits.grades)) == (1, 2)
    assert find_hits(_ids("b", "c"), gold).is_hit(ALL) is True


def test_a_group_and_an_id_of_the_same_name_are_two_pieces() -> None:
    assert len(find_hits(_ids("a"), [Gold("a"), Gold("b", group="a")]).grades) == 2


def test_the_same_id_twice_in_the_gold_is_one_piece() -> None:
    hits = find_hits(_ids("a"), [Gold("a", "one"), Gold("a", "two")])
    assert hits.grades == (1.0,)


def test_two_texts_of_one_document_are_two_pieces_where_texts_decide() -> None:
    hits = find_hits(_texts("the fee is 3 euros"), [Gold("a", "fee is 3"), Gold("a", "due in May")])
    assert (hits.basis, hits.held, len(hits.grades)) == ("gold_text", ((0,),), 2)


def test_gold_graded_zero_is_no_evidence() -> None:
    hits = find_hits(_ids("a", "b"), [Gold("a", grade=0), Gold("b", grade=2)])
    assert (hits.stages, hits.grades) == ((None, "gold_id"), (2.0,))
    assert find_hits(_ids("a"), [Gold("a", grade=0)]).cause is Cause.NO_GOLD


def test_a_piece_has_the_largest_grade_of_its_group() -> None:
    hits = find_hits(_ids("a"), [Gold("a", grade=1, group="g"), Gold("b", grade=3, group="g")])
    assert hits.grades == (3.0,)


def test_gold_that_does_not_fit_the_basis_is_counted_as_left_out() -> None:
    hits = find_hits(_ids("a"), [Gold("a"), Gold(text="only a text")])
    assert (hits.basis, len(hits.grades), hits.n_left_out) == ("gold_id", 1, 1)


def test_a_document_retrieved_twice_is_marked_the_second_time() -> None:
    hits = find_hits(_ids("a", "a", "b"), [Gold("a")])
    assert hits.stages == ("gold_id", "gold_id", None)
    assert hits.repeats == (False, True, False)


def test_contexts_without_ids_repeat_nothing() -> None:
    assert find_hits(_texts("x", "x"), [Gold(text="x")]).repeats == (False, False)


@pytest.mark.parametrize(
    "doc_id", ["7", "https://a.example/x?y=1#z", "12345678901234567890", "12345678901234567891"]
)
def test_ids_are_compared_as_texts(doc_id: str) -> None:
    contexts = _ids("12345678901234567892", doc_id)
    assert find_hits(contexts, [Gold(doc_id)]).stages == (None, "gold_id")


# --- policies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "expected"),
    # 2 of 3 pieces are held
    [("any", True), ("all", False), ("fraction>=0.6", True), ("fraction >= 0.7", False)],
)
def test_policy_says_how_much_evidence_is_enough(policy: str, expected: bool) -> None:
    hits = find_hits(_ids("a", "b"), [Gold("a"), Gold("b"), Gold("c")])
    assert hits.is_hit(HitPolicy.parse(policy)) is expected


def test_a_share_of_exactly_two_thirds_is_met_by_two_of_three() -> None:
    assert HitPolicy(2 / 3).is_met(2, 3)


def test_no_policy_is_met_by_nothing() -> None:
    assert not any(policy.is_met(0, 3) for policy in (ANY, ALL, HitPolicy(0.5)))


def test_hits_within_the_first_k() -> None:
    hits = find_hits(_ids("x", "a", "b"), [Gold("a"), Gold("b")])
    assert [hits.is_hit(ALL, k) for k in (1, 2, 3)] == [False, False, True]
    assert [hits.is_hit(ANY, k) for k in (1, 2, 3)] == [False, True, True]


def test_is_hit_is_undefined_without_evidence() -> None:
    assert find_hits(_ids("a"), []).is_hit() is None


@pytest.mark.parametrize("text", ["any", "all", "fraction>=0.25"])
def test_a_policy_reads_back_what_it_writes(text: str) -> None:
    assert str(HitPolicy.parse(text)) == text


@pytest.mark.parametrize("text", ["", "some", "fraction", "fraction>=", "all>=0.5"])
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="any, all or fraction"):
        HitPolicy.parse(text)


@pytest.mark.parametrize("text", ["fraction>=1.5", "fraction>=-1", "fraction>=nan"])
def test_a_share_outside_0_to_1_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="share from 0 to 1"):
        HitPolicy.parse(text)


# --- bases and stages -----------------------------------------------------------------------------


def test_references_serve_only_if_switched_on() -> None:
    contexts = _texts("nothing", "The fee is 3 euros.")
    assert find_hits(contexts, [], ["3 euros"]).cause is Cause.NO_GOLD
    hits = find_hits(contexts, [], ["3 euros"], HitOptions(use_reference=True))
    assert (hits.basis, hits.stages) == ("reference", (None, "substring"))


def test_references_are_alternatives_of_one_another() -> None:
    hits = find_hits(_texts("in NYC"), [], ["New York City", "NYC"], HitOptions(use_reference=True))
    assert (hits.grades, hits.is_hit(ALL)) == ((1.0,), True)


def test_references_never_serve_beside_gold() -> None:
    hits = find_hits(
        _texts("the answer is blue"), [Gold(text="grey sky")], ["blue"], HitOptions(True)
    )
    assert (hits.basis, hits.stages) == ("gold_text", (None,))


def test_references_serve_where_gold_has_ids_and_contexts_have_none() -> None:
    # the ids cannot be compared, so that the gold is not usable
    hits = find_hits(_texts("blue sky"), [Gold("a")], ["blue"], HitOptions(True))
    assert (hits.basis, hits.n_left_out) == ("reference", 1)


def test_an_empty_reference_is_no_evidence() -> None:
    assert find_hits(_texts("x"), [], ["", "?"], HitOptions(True)).cause is Cause.NO_GOLD


def test_scattered_tokens_count_only_close_together() -> None:
    near = "alpha x beta x gamma x delta x epsilon"
    far = " ".join(f"{word} " + "x " * 30 for word in near.replace(" x", "").split())
    gold = [Gold(text="alpha beta gamma delta epsilon")]
    # a window holds 40 tokens, and neighbours are 31 apart: never more than two of the five
    assert find_hits(_texts(near, far), gold).stages == ("token_recall", None)


def test_the_window_grows_with_the_evidence() -> None:
    words = [f"w{number}" for number in range(60)]
    spread = " ".join(f"{word} x" for word in words)
    # 60 words within 119 tokens; the window holds 2 · 60 = 120
    assert find_hits(_texts(spread), [Gold(text=" ".join(words))]).stages == ("token_recall",)


def test_the_window_moves_through_the_context() -> None:
    text = "x " * 500 + "delta beta gamma alpha"
    assert find_hits(_texts(text), [Gold(text="alpha beta gamma delta")]).stages == (
        "token_recall",
    )


def test_the_most_certain_stage_is_kept_and_all_pieces_are_held() -> None:
    gold = [Gold(text="one two three four five"), Gold(text="six seven")]
    hits = find_hits(_texts("five four three two one, six seven"), gold)
    assert (hits.stages, hits.held) == (("substring",), ((0, 1),))


def _same_start(one: str, other: str) -> float:
    return 0.75 if one[:3].lower() == other[:3].lower() else 0.74


def test_similarity_compares_sentences_where_words_fail() -> None:
    contexts = _texts("Other matters. Cardiac death.", "Dead hearts.")
    gold = [Gold(text="Carrier of the heart")]
    assert find_hits(contexts, gold).stages == (None, None)
    hits = find_hits(contexts, gold, options=HitOptions(similarity=_same_start))
    assert hits.stages == ("embedding", None)


def test_a_judges_word_comes_last_and_is_marked() -> None:
    gold = [Gold(text="rare phrase")]
    hits = find_hits(_texts("a rare phrase", "else", "other"), gold, judged=[True, True, None])
    assert hits.stages == ("substring", "judge", None)
    assert hits.is_proxy
    assert not find_hits(_texts("a rare phrase"), gold).is_proxy


@pytest.mark.parametrize(
    ("context", "gold"),
    [
        ("根据规定，退款期限为三十天。", "退款期限为三十天"),
        ("تبلغ مدة الضمان سنتين من تاريخ الشراء", "مدة الضمان سنتين"),
        ("Die Gewährleistung beträgt ZWEI Jahre.", "gewährleistung beträgt zwei jahre"),
    ],
)
def test_text_of_other_scripts_is_found(context: str, gold: str) -> None:
    assert find_hits(_texts(context), [Gold(text=gold)]).stages == ("substring",)
