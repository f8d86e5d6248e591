-- Makes the temporary table scored: the value of one metric and judge per sample, from its repeats.
-- At least half of the repeats must be valid; an exact tie of a binary metric settles nothing.
create or replace temp table scored as
with

newest as (
    select position, repeat, arg_max_null(value, verdict_no) filter (status <> 'error') as value
    from verdict
    where run_id = $run_id and metric = $metric and judge_id = $judge_id and context_rank is null
    group by position, repeat
),

counted as (
    select
        position,
        count(*) as n_repeats,
        count(value) as n_valid,
        avg(value) as mean,
        quantile_disc(value, 0.5) as lower_median
    from newest
    group by position
)

select
    position,
    case
        when n_valid = 0 or n_valid < ceil(n_repeats / 2) then null
        when $aggregate = 'mean' then mean
        when $aggregate = 'median' then lower_median
        when mean = 0.5 then null
        else round(mean)
    end as value
from counted
