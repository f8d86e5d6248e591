-- Reads the temporary table votes: some repeats within the range and some beside it.
delete from matched
where position not in (
    select position
    from votes
    where value is not null
    group by position
    having bool_or(value between $low and $high) and not bool_and(value between $low and $high)
)
