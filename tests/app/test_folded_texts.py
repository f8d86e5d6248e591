"""What is folded is sent when it is opened, whole."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.diagnosis.modes import MODES, Mode
from core.diagnosis.quadrants import EXTENDED, Extended
from core.store.connection import Store
from core.workflows.judge_plan import all_prompts

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]


def test_every_prompt_is_shown_in_full_when_it_is_opened(store_of: StoreOf, start: Start) -> None:
    prompts = all_prompts(store_of("demo")).prompts
    app = start("judge")
    shown = {one.value for one in app.text}
    assert not shown & {prompt.text for prompt in prompts}

    for place, prompt in enumerate(prompts):
        app.session_state[f"prompt_{place}_{prompt.name}"] = True
    app.run()
    assert not app.exception
    assert {prompt.text for prompt in prompts} <= {one.value for one in app.text}
    assert len(app.code) == len(prompts) > 10


@pytest.mark.parametrize(
    ("page", "key", "meanings"),
    [
        ("modes", "cell_words", {MODES[mode].meaning for mode in (Mode.SUCCESS,)}),
        ("context_use", "quadrant_words", {EXTENDED[Extended.EFFECTIVE_USE].meaning}),
    ],
)
def test_what_cells_and_quadrants_mean_is_there_on_request(
    page: str, key: str, meanings: set[str], store_of: StoreOf, start: Start
) -> None:
    store_of("demo")
    app = start(page)

    def says(meaning: str) -> bool:
        return any(meaning in one.value for one in app.markdown)

    assert not any(map(says, meanings))
    app.session_state[key] = True
    app.run()
    assert all(map(says, meanings))
