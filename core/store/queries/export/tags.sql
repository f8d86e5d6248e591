select position, name, value
from tag
where run_id = $run_id and position in (select unnest($positions::bigint[]))
order by position, name, value
