-- The most frequent values of every tag; a tag that names each sample apart is no slice.
-- A sample has each value of a tag once, so that rows are samples.
with

counted as (
    select name, value, count(*) as n
    from tag
    where run_id = $run_id
    group by all
)

select name, value, n
from counted
qualify row_number() over (partition by name order by n desc, value) <= 200
order by name, n desc, value
