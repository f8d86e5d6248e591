-- Matched samples by the values of one tag.
select value, count(*) as n
from matched
inner join tag using (position)
where run_id = $run_id and name = $tag
group by value
order by n desc, value
