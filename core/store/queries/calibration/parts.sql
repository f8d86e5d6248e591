-- How many labels of every criterion of a run belong to each part, and the seed that dealt them.
select criterion, part, count(*) as n, any_value(seed) as seed
from label_part
where run_id = $run_id
group by all
order by all
