"""Judges: they return verdicts and never write."""
