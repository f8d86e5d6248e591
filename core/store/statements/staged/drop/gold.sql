delete from gold where exists (
    select 1 from dropped where dropped.run_id = gold.run_id and dropped.position = gold.position
)
