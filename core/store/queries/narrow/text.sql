delete from matched
where position not in (
    select position
    from sample
    where run_id = $run_id
        and (
            contains(lower(sample_id), lower($text))
            or contains(lower(question), lower($text))
            or contains(lower(answer), lower($text))
        )
)
