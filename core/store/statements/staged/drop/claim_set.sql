delete from claim_set where exists (
    select 1 from dropped
    where dropped.run_id = claim_set.run_id and dropped.position = claim_set.position
)
