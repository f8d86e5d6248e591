"""Every prompt in full, and files that cannot be used."""

import json

import streamlit as st

from core.judge.prompts import Prompt
from core.workflows.judge_plan import all_prompts, own_prompts_folder
from dashboard import access
from dashboard.components.head import section
from dashboard.theme import escape, escape_line


def draw() -> None:
    """All prompts with inputs, reply schema and source; own files beside the shipped ones."""
    section("Prompts", "What a model is told, word for word; the hash is kept with every verdict.")
    store = access.ready_store()
    found = all_prompts(store)
    for problem in found.problems:
        st.warning(f"{escape_line(problem.path.name)}: {escape(problem.problem)}")
    for place, prompt in enumerate(found.prompts):
        own = " · your own" if prompt.is_own else ""
        label = escape_line(f"{prompt.title} · {prompt.name}{own}")
        # Fifteen texts with coloured schemas take the browser as long as the rest of the page.
        with st.expander(label, key=f"prompt_{place}_{prompt.name}", on_change="rerun") as box:
            if box.open:
                _in_full(prompt)
    st.caption(
        f"Files of your own go to {escape_line(own_prompts_folder(store).name)}/ beside the store; "
        "a wrong file is named here and nothing else stops."
    )


def _in_full(prompt: Prompt) -> None:
    st.caption(
        escape_line(
            f"Shows {', '.join(prompt.inputs)}. Source: {prompt.source}. "
            f"SHA-256 {prompt.sha256[:12]}…"
        )
    )
    st.text(prompt.text)
    st.code(json.dumps(prompt.output, indent=2), language="json")
