"""The DuckDB store: the only home of SQL."""
