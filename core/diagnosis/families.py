"""Whether a judge and the system that it judges seem to be models of one family."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_FAMILIES = {
    "GPT": r"gpt|(?<![a-z0-9])o[134](?:-|$)",
    "Claude": r"claude",
    "Gemini": r"gemini|gemma",
    "Llama": r"llama(?!index)",
    "Mistral": r"mi[sx]tral|ministral",
    "Qwen": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Command": r"command-?[ra](?![a-z])",
    "Phi": r"(?<![a-z])phi-?\d",
    "Grok": r"grok",
}
_NAMES_GENERATOR = re.compile(r"model|generator|llm", re.I)
_NAMES_OTHERS = re.compile(r"judge|eval|critic|embed|rerank|grader", re.I)


def family_of(text: str) -> str | None:
    """The family that a model's name names; None where it names none or several.

    >>> family_of("openai/gpt-4o-mini"), family_of("ollama/qwen3"), family_of("my pipeline")
    ('GPT', 'Qwen', None)
    """
    # A server's name is no model: ollama/qwen3 is no Llama.
    plain = text.lower().replace("ollama", "")
    found = [name for name, pattern in _FAMILIES.items() if re.search(pattern, plain)]
    return found[0] if len(found) == 1 else None


def shared_family(judge: str, run_name: str, config: Mapping[str, Any] | None) -> str | None:
    """The family of a judge if the run's name or its configuration names a model of the same.

    In a configuration only texts count that stand under a name such as "model" or "generator".

    >>> shared_family("openai/gpt-4o-mini", "mtrag-gpt-4o", None)
    'GPT'
    >>> shared_family("openai/gpt-4o", "run 3", {"judge_model": "gpt-4o"}) is None
    True
    """
    family = family_of(judge)
    if family is None:
        return None
    names = (run_name, *_generators(config or {}))
    return family if any(family_of(name) == family for name in names) else None


def _generators(config: Mapping[str, Any], *, is_model: bool = False) -> Iterator[str]:
    for key, value in config.items():
        if _NAMES_OTHERS.search(str(key)):
            continue
        is_here = is_model or bool(_NAMES_GENERATOR.search(str(key)))
        if isinstance(value, Mapping):
            yield from _generators(value, is_model=is_here)
        elif is_here and isinstance(value, str):
            yield value
