-- Patterns of the matched samples by the values of one tag.
select tag.value, matched.code, count(*) as n
from matched
inner join tag using (position)
where tag.run_id = $run_id and tag.name = $tag
group by all
order by all
