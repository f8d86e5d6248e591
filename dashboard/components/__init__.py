"""Parts of pages that draw and return a value."""
