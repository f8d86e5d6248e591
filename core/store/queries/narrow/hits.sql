-- The first digit of the code of context use: 1 hit, 0 miss, 2 undefined.
delete from matched
where not list_contains($hits, ['miss', 'hit', 'undefined'][cue_code // 27 + 1])
