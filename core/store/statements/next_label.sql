select coalesce(max(label_no), 0) + 1 from label where run_id = $run_id
