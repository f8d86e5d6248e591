select name, value, count(distinct position) as n
from tag
where run_id = $run_id
group by all
order by name, n desc, value
