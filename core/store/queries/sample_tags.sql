select name, value
from tag
where run_id = $run_id and position = $position
order by name, value
