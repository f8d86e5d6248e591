delete from context where exists (
    select 1 from dropped where dropped.run_id = context.run_id and dropped.position = context.position
)
