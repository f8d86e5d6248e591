-- Contexts that one source marked, and whether it finds the mark good enough, as known at last_no.
-- Of a judge the newest verdict of each repeat, of a rater the latest label; then the mean.
with

judged as (
    select position, rank, repeat as who, arg_max(value, verdict_no) as value
    from context_verdicts
    where $kind = 'verdict' and run_id = $run_id and metric = $name and judge_id = $source and verdict_no <= $last_no
    group by all
),

labelled as (
    select position, context_rank as rank, rater as who, arg_max(value, label_no) as value
    from label
    where $kind = 'label' and run_id = $run_id and context_rank is not null and criterion = $name
        and label_no <= $last_no
    group by all
),

marks as (
    select * from judged
    union all
    select * from labelled
    where value is not null
)

select position, rank, avg(value) * $sign >= $cut * $sign - 1e-9 as is_held
from marks
where position between $first and $last and isfinite(value)
group by position, rank
order by position, rank
