-- Matched samples with evidence, numbered from 0; piece_offset is the number of pieces before theirs.
create or replace temp table evidence as
with

found as (
    select position, stages, held, grades, repeats
    from sample_hits_now
    inner join matched using (position)
    where run_id = $run_id and basis is not null
)

select
    *,
    row_number() over (order by position) - 1 as row,
    coalesce(
        sum(len(grades)) over (order by position rows between unbounded preceding and 1 preceding), 0
    ) as piece_offset
from found
