insert into selection by name
select
    $run_id as run_id, $number as selection_no, $axis as axis, $metric as metric,
    $judge_id as judge_id, $now as chosen_at
