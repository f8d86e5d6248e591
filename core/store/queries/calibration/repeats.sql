-- Values of one metric and judge by kept samples and repeats; NULL where a repeat has none.
select
    position,
    repeat,
    arg_max_null(value, verdict_no) filter (status <> 'error') as value
from verdict
inner join kept using (position)
where run_id = $run_id and metric = $metric and judge_id = $judge_id and context_rank is null
group by position, repeat
order by position, repeat
