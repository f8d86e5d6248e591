delete from label where exists (
    select 1 from dropped where dropped.run_id = label.run_id and dropped.position = label.position
)
