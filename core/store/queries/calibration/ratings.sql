-- Ratings of one criterion by kept samples and raters, the latest of each rater.
-- rater counts from 1 into $raters, category into $categories; 0 is none of them.
with

latest as (
    select
        position,
        coalesce(context_rank, 0) as context_rank,
        rater,
        arg_max_null(value, label_no) as value,
        arg_max_null(category, label_no) as category
    from label
    inner join kept using (position)
    where run_id = $run_id and criterion = $criterion and (context_rank is not null) = $is_context
    group by position, context_rank, rater
)

select
    position,
    context_rank,
    coalesce(list_position($raters::varchar[], rater), 0)::integer as rater,
    value,
    coalesce(list_position($categories::varchar[], category), 0)::integer as category
from latest
