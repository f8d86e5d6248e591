delete from sample where run_id = $run_id
