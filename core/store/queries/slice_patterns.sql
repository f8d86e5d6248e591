-- Patterns of the matched samples of some slices; $names and $values are in step.
select tag.name, tag.value, matched.code, count(*) as n
from matched
inner join tag using (position)
inner join (select unnest($names) as name, unnest($values) as value) as wanted
    on tag.name = wanted.name and tag.value = wanted.value
where tag.run_id = $run_id
group by all
order by all
