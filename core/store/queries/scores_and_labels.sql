-- Selected groundedness of the matched samples beside one binary label; samples without either are left out,
-- and so are those of the test part unless it is open.
with

-- label_current for one criterion of one run: the latest of each rater, then the majority, a tie is
-- unknown. Without the other keys it takes a third of the time.
latest as (
    select position, arg_max({'value': value, 'category': category}, label_no) as label
    from label
    where run_id = $run_id and criterion = $criterion and context_rank is null
    group by position, rater
),

votes as (
    select position, label.value as value, count(*) as n
    from latest
    group by position, label.value, case when label.value is null then label.category end
),

labelled as (
    select position, arg_max({'value': value}, n).value as value
    from votes
    group by position
    having max(n, 2)[1] is distinct from max(n, 2)[2]
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
where value in (0, 1)
    and (
        $is_open
        or position not in (
            select position from label_part where run_id = $run_id and criterion = $criterion and part = 'test'
        )
    )
