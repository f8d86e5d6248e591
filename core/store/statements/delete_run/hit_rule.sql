delete from hit_rule where run_id = $run_id
