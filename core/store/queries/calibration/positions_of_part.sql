-- Samples of one part of a label's split.
select position
from label_part
where run_id = $run_id and criterion = $criterion and part = $part
order by position
