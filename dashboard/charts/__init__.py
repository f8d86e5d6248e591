"""Figures from frames; no Streamlit, no store."""
