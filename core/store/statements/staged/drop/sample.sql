delete from sample where exists (
    select 1 from dropped where dropped.run_id = sample.run_id and dropped.position = sample.position
)
