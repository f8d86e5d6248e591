with

newest as (
    select axis, arg_max({'metric': metric, 'judge_id': judge_id}, selection_no) as choice
    from selection
    where run_id = $run_id
    group by axis
)

select axis, choice.metric, choice.judge_id from newest where choice.judge_id is not null
