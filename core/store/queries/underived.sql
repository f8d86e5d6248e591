-- Positions of the samples whose hits by this rule have not been worked out yet.
select position
from sample
where run_id = $run_id
    and position not in (select position from sample_hits where run_id = $run_id and rule = $rule)
order by position
