"""The only place that imports litellm, and what is read from its answers."""

import logging
import os
import warnings
from functools import cache
from importlib.metadata import version
from typing import Any

_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


def import_litellm() -> Any:
    """The module litellm, without its network calls, its .env file, its banners and its logs.

    Takes seconds, so it is called by the process that judges and by no other.
    """
    # Each of these is read while litellm is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    # It defines types while it works, and pydantic warns of each of them.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"pydantic\.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm
    litellm.suppress_debug_info = True
    for name in _LOGGERS:
        # Its messages quote requests, headers and all.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


@cache
def litellm_version() -> str:
    """Version of litellm, without importing it."""
    return version("litellm")


def usage(response: Any) -> tuple[int | None, int | None]:
    """Tokens of prompt and reply; None where the server does not say (litellm makes that 0)."""
    found = getattr(response, "usage", None)
    prompt = getattr(found, "prompt_tokens", None)
    reply = getattr(found, "completion_tokens", None)
    if not isinstance(prompt, int) or prompt <= 0:
        return None, None
    return prompt, reply if isinstance(reply, int) else 0


def response_cost(response: Any) -> float | None:
    """USD as litellm reckons it, which knows of cheaper cached prompts and the like."""
    found = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    return float(found) if isinstance(found, int | float) and found > 0 else None


def vectors(response: Any, n: int) -> list[list[float]] | None:
    """The n vectors of an embedding in the order of its texts; None if they are not there."""
    data = [dict(one) for one in getattr(response, "data", None) or []]
    found = [
        [float(number) for number in one["embedding"]]
        for one in sorted(data, key=lambda one: int(one.get("index") or 0))
        if isinstance(one.get("embedding"), list)
    ]
    return found if len(found) == n else None
