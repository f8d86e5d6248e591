-- Most repeats that any sample has of the selected triad verdicts; $metrics and $judge_ids are in step.
select coalesce(max(repeat) + 1, 0) as n_repeats
from verdict
inner join (select unnest($metrics) as metric, unnest($judge_ids) as judge_id) as chosen using (metric, judge_id)
where run_id = $run_id and context_rank is null
