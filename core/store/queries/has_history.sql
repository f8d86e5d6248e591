select exists(
    select 1 from sample where run_id = $run_id and history is not null and history::varchar not in ('[]', '""', 'null')
) as has_history
