"""Importers: one file per format, recognised by content."""
