delete from label_part where exists (
    select 1 from dropped where dropped.run_id = label_part.run_id and dropped.position = label_part.position
)
