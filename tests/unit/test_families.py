"""Judges and systems of one family, by the names of their models."""

import pytest

from core.diagnosis.families import family_of, shared_family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o", "GPT"),
        ("azure/gpt-35-turbo", "GPT"),
        ("openai/o3-mini", "GPT"),
        ("o1", "GPT"),
        ("anthropic/claude-sonnet-4", "Claude"),
        ("vertex_ai/gemini-2.5-pro", "Gemini"),
        ("meta-llama/Llama-3.1-405B-Instruct", "Llama"),
        ("ollama/llama3", "Llama"),
        ("ollama/mixtral", "Mistral"),
        ("phi-4", "Phi"),
        ("command-r-plus", "Command"),
        ("lexical-v1", None),
        ("llamaindex pipeline", None),
        ("philosophy-2", None),
        ("foo1-bar", None),
        # Two families in one name: nobody can tell which is meant.
        ("llama judged by gpt", None),
    ],
)
def test_family_by_name(name: str, family: str | None) -> None:
    assert family_of(name) == family


def test_configuration_counts_where_it_names_the_model_that_answered() -> None:
    nested = {"pipeline": {"generator": {"name": "Qwen/Qwen3-8B"}}, "note": "llama"}
    assert shared_family("qwen3", "run", nested) == "Qwen"
    assert shared_family("llama3", "run", nested) is None
    others = {"embedding_model": "qwen-embed", "models": {"judge": "qwen3"}, "model": 7}
    assert shared_family("qwen3", "run", others) is None
    assert shared_family("lexical-v1", "lexical-v1", None) is None
