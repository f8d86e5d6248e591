-- Keep the samples whose answer took so long, or cost so much; what is not recorded is in no range.
delete from matched
where not exists (
    select 1
    from wide
    where
        wide.run_id = $run_id and wide.position = matched.position
        and case $amount when 'latency' then wide.latency when 'cost' then wide.cost end
            between $low and $high
)
