insert into threshold by name
select
    $run_id as run_id,
    (select coalesce(max(threshold_no), 0) + 1 from threshold where run_id = $run_id) as threshold_no,
    $metric as metric, $judge_id as judge_id, $cut as cut, $now as set_at
