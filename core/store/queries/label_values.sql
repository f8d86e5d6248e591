select criterion, coalesce(category, format('{:g}', value), 'unknown') as value, count(*) as n
from label_current
where run_id = $run_id
group by all
order by all
