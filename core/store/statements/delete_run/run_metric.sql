delete from run_metric where run_id = $run_id
