"""From scores and cuts to failure modes."""
