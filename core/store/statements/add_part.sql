insert into label_part by name
select
    $run_id as run_id,
    $criterion as criterion,
    unnest($positions::bigint[]) as position,
    unnest($parts::varchar[]) as part,
    $seed as seed,
    $now as dealt_at
