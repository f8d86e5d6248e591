select position, sample_id from sample where run_id = $run_id order by position
