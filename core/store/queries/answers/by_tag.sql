-- The values of the temporary table scored by the values of one tag.
select tag.value, count(*) as n, fsum(scored.value) as total, fsum(scored.value * scored.value) as squares
from scored
semi join matched using (position)
inner join tag using (position)
where tag.run_id = $run_id and tag.name = $tag and scored.value is not null
group by all
order by n desc, tag.value
