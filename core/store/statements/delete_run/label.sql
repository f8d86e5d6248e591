delete from label where run_id = $run_id
