select
    (select coalesce(max(verdict_no), 0) from verdict where run_id = $run_id) as verdict_no,
    (select coalesce(max(label_no), 0) from label where run_id = $run_id) as label_no
