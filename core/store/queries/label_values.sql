select criterion, value, category, count(*) as n
from label_current
where run_id = $run_id
group by all
order by all
