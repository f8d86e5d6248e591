select count(*) from sample where run_id = $run_id
