select metric, min(value) as low, max(value) as high
from verdict
inner join judge using (judge_id)
where run_id = $run_id and kind = 'imported' and context_rank is null
group by metric
order by min(verdict_no)
