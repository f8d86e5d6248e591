"""The screen: Streamlit pages over the headless core."""
