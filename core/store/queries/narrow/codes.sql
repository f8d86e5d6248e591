delete from matched where not list_contains($codes, code)
