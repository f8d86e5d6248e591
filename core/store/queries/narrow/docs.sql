-- Keeps samples that retrieved one of these documents.
delete from matched
where position not in (
    select position
    from context
    where run_id = $run_id and list_contains($docs, doc_id)
)
