-- Who labelled what in a run; is_context tells labels of contexts from labels of samples.
-- n are the samples of one rater, n_of_all those that any rater labelled.
with

counted as (
    select
        criterion,
        rater,
        context_rank is not null as is_context,
        grouping(rater) as is_total,
        count(distinct position) as n
    from label
    where run_id = $run_id
    group by grouping sets ((criterion, rater, is_context), (criterion, is_context))
)

select rated.criterion, rated.rater, rated.is_context, rated.n, total.n as n_of_all
from counted as rated
inner join counted as total using (criterion, is_context)
where rated.is_total = 0 and total.is_total = 1
order by all
