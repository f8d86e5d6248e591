"""Pure metric functions and their registry."""
