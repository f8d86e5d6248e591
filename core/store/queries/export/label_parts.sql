select position, criterion, part
from label_part
where run_id = $run_id and position in (select unnest($positions::bigint[]))
order by position, criterion
