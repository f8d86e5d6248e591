-- Selected groundedness of the matched samples beside one binary label; samples without either are left out.
with

labelled as (
    select position, value
    from label_current
    where run_id = $run_id and criterion = $criterion and value in (0, 1)
),

scored as (
    select wide.position, wide.groundedness
    from wide
    inner join matched using (position)
    where wide.run_id = $run_id and wide.groundedness is not null
)

select groundedness as score, value::tinyint as label
from scored
inner join labelled using (position)
