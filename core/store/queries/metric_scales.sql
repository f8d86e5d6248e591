select metric, lo, hi, direction, cut, is_declared from run_metric where run_id = $run_id
