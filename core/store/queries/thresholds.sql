select metric, judge_id, arg_max_null(cut, threshold_no) as cut
from threshold
where run_id = $run_id
group by metric, judge_id
having arg_max_null(cut, threshold_no) is not null
