delete from sample_hits where run_id = $run_id
