-- Why kept samples have no score of a metric and judge: the newest state of each, counted by the part
-- of the split that its label is in, and by whether it has one.
with

newest as (
    select position, arg_max(status, verdict_no) as status, arg_max_null(cause, verdict_no) as cause
    from verdict
    where run_id = $run_id and metric = $metric and judge_id = $judge_id and context_rank is null
    group by position
),

missing as (
    select
        kept.position,
        coalesce(list_position(['train', 'dev', 'test'], label_part.part), 0)::tinyint as part,
        labelled.position is not null as is_labelled
    from kept
    left join scored using (position)
    left join labelled using (position)
    left join label_part
        on label_part.run_id = $run_id and label_part.criterion = $criterion
            and label_part.position = kept.position
    where scored.value is null
)

-- A value without a score: the repeats cancel each other out.
select
    case status when 'value' then 'error' else coalesce(status, 'not_scored') end as status,
    case status when 'value' then 'inconsistent' else cause end as cause,
    part,
    is_labelled,
    count(*) as n
from missing
left join newest using (position)
group by all
order by all
