delete from matched where not list_contains($sources, correct_source)
