-- Contexts at each rank that one source calls useful, and how many it looked at.
select rank, count(*) filter (value * $sign >= $cut * $sign - 1e-9) as k, count(*) as n
from context_marks
where kind = $kind and name = $name and source = $source
group by rank
order by rank
