-- Reads the temporary table votes: how many repeats gave a value.
delete from matched
where position not in (
    select position from votes where value is not null group by position having count(*) between $low and $high
)
