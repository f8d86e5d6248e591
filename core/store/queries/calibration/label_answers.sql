-- Answers to every criterion of a run, the latest of each rater: value and category as they were given.
with

latest as (
    select
        criterion,
        arg_max_null(value, label_no) as value,
        arg_max_null(category, label_no) as category
    from label
    where run_id = $run_id and context_rank is null
    group by criterion, position, rater
)

select criterion, value, category, count(*) as n
from latest
group by all
order by all
