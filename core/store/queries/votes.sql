-- Makes the temporary table votes: the value of every repeat of one metric and judge, NULL where it gave none.
-- A later error does not displace a settled verdict of the same repeat.
create or replace temp table votes as
select position, repeat, arg_max_null(value, verdict_no) filter (status <> 'error') as value
from verdict
where run_id = $run_id and metric = $metric and judge_id = $judge_id and context_rank is null
group by position, repeat
