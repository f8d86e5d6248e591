-- Makes the temporary table scored: the value of one metric and judge per sample, for judges without repeats.
-- A later error does not displace a settled verdict.
create or replace temp table scored as
select position, arg_max_null(value, verdict_no) filter (status <> 'error') as value
from verdict
where run_id = $run_id and metric = $metric and judge_id = $judge_id and context_rank is null
group by position
