"""The headless part of RAG Triage: metrics, diagnosis, imports, judges, store, command line."""
