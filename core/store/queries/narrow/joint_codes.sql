delete from matched where not list_contains($joint_codes, code * 9 + cue_code // 9)
