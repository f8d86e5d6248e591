insert into selection by name
select
    $run_id as run_id,
    (select coalesce(max(selection_no), 0) + 1 from selection where run_id = $run_id) as selection_no,
    $axis as axis, $metric as metric, $judge_id as judge_id, $now as chosen_at
