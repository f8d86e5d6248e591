select name
from tag
where run_id = $run_id
group by name
having count(distinct value) > $most
order by name
