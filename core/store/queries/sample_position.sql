select position from sample where run_id = $run_id and sample_id = $sample_id
