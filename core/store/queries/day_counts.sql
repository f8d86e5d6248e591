-- Patterns of the matched samples by day; reads the temporary table sample_day.
select day, code, count(*) as n
from matched
left join sample_day using (position)
group by all
order by day nulls last, code
