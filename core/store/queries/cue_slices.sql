-- Codes of context use of the matched samples by the values of one tag.
select value, cue_code as code, count(*) as n
from matched
inner join tag using (position)
where run_id = $run_id and name = $tag
group by all
order by all
