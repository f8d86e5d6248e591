-- Matched samples by pattern and by what settled their correctness.
select code, correct_source, count(*) as n
from matched
group by all
order by all
