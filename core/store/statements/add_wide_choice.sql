insert into wide_selection by name
select
    $run_id as run_id, $axis as axis, $metric as metric, $judge_id as judge_id,
    $aggregate as aggregate
