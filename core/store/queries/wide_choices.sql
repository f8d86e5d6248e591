select axis, metric, judge_id, aggregate from wide_selection where run_id = $run_id order by axis
