"""Which tag figures are compared by while nobody has chosen one."""

import pytest

from core.workflows.view_choices import READABLE, FilterChoices

Sizes = dict[str, list[int]]


def choices(sizes: Sizes) -> FilterChoices:
    tags = [(name, f"v{i}", n) for name, found in sizes.items() for i, n in enumerate(found)]
    return FilterChoices(tuple(tags), (), ())


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        # Nearly all samples share one value: nothing to compare with; of domain the second has 40.
        ({"annotators": [155, 4], "domain": [60, 40, 59]}, "domain"),
        ({"model": [100], "day": [3, 3]}, "day"),
        # One value each, or too many to look at: the first one that there is.
        ({"model": [100], "city": [1] * (READABLE + 1)}, "model"),
        ({"city": [5] * (READABLE + 1), "half": [1, 64]}, "half"),
        # Equally good: the first.
        ({"a": [5, 5], "b": [5, 5]}, "a"),
        ({}, None),
    ],
)
def test_the_tag_that_tells_most(sizes: Sizes, expected: str | None) -> None:
    found = choices(sizes)
    assert found.telling_tag() == expected
    assert found.tag_names() == list(sizes)
