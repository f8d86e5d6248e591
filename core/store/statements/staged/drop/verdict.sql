delete from verdict where exists (
    select 1 from dropped where dropped.run_id = verdict.run_id and dropped.position = verdict.position
)
