-- Gains of one source and the place of the context among those of its sample; row numbers its samples.
with

samples as (
    select position, row_number() over (order by position) - 1 as row
    from (select distinct position from context_marks where kind = $kind and name = $name and source = $source)
),

places as (
    select context.position, context.rank, row_number() over (partition by context.position order by context.rank) as place
    from context
    inner join samples using (position)
    where context.run_id = $run_id
)

select row, place, value
from context_marks
inner join samples using (position)
inner join places using (position, rank)
where kind = $kind and name = $name and source = $source
order by row, place
