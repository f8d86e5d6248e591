"""Which way a metric points where nobody says so, by its name."""

import re

from core.metrics.registry import spec_for
from core.model import Direction

_LOWER = re.compile(
    r"(^|_)(hallucinat\w*|noise_sensitivity|bias|toxicity|harmful\w*|harm|malicious\w*|misuse|"
    r"violence|sexual|hate|hate_unfairness|unfairness|severity|holes|stereotyping|latency|"
    r"response_time|duration)($|_|\()"
)


def direction_of(name: str) -> Direction:
    """Lower for what measures harm or time, else higher.

    >>> direction_of("hallucination"), direction_of("Answer Toxicity"), direction_of("faithfulness")
    (<Direction.LOWER: 'lower'>, <Direction.LOWER: 'lower'>, <Direction.HIGHER: 'higher'>)
    """
    spec = spec_for(name)
    if spec is not None:
        return spec.direction
    # hateUnfairness, hate-unfairness and Hate Unfairness are one name.
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s.\-/:]+", "_", name).casefold()
    return Direction.LOWER if _LOWER.search(words) else Direction.HIGHER
