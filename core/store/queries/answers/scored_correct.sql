-- Makes the temporary table scored: 1 for a correct and 0 for an incorrect answer; a refusal and an
-- unknown correctness have no value.
create or replace temp table scored as
select position, ((code // 3) % 3)::double as value
from matched
where (code // 9) % 3 <> 1 and (code // 3) % 3 < 2
