delete from tag where exists (
    select 1 from dropped where dropped.run_id = tag.run_id and dropped.position = tag.position
)
