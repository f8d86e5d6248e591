-- The parts of one criterion are alternatives.
delete from matched
where position not in (
    select position
    from label_part
    where run_id = $run_id and criterion = $criterion and list_contains($parts, part)
)
