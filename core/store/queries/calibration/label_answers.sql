-- Answers to every criterion about samples, or contexts, the latest of each rater, as they were given.
with

latest as (
    select
        criterion,
        arg_max_null(value, label_no) as value,
        arg_max_null(category, label_no) as category
    from label
    where run_id = $run_id and (context_rank is not null) = $is_context
    group by criterion, position, context_rank, rater
)

select criterion, value, category, count(*) as n
from latest
group by all
order by all
