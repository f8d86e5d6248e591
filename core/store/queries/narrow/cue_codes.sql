delete from matched where not list_contains($cue_codes, cue_code)
