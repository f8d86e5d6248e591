-- Value of one tag for the kept samples that have it; of several the first.
select position, min(value) as value
from tag
inner join kept using (position)
where run_id = $run_id and name = $tag
group by position
order by position
