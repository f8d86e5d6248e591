delete from label_part where run_id = $run_id
