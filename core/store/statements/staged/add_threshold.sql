insert into threshold by name
select
    $run_id as run_id, $number as threshold_no, $metric as metric, $judge_id as judge_id,
    $cut as cut, $now as set_at
