-- The values of the temporary table scored by the length of the answer: at most $groups groups of
-- about equal size, answers of equal length together.
with

lengths as (
    select position, arg_max(value, verdict_no) as words
    from verdict
    where run_id = $run_id and metric = 'answer_words' and judge_id = $judge_id
    group by position
),

placed as (
    select words, value, ceil($groups * cume_dist() over (order by words) - 1e-9) as place
    from scored
    semi join matched using (position)
    inner join lengths using (position)
    where value is not null and words is not null
)

select
    min(words)::bigint as shortest,
    max(words)::bigint as longest,
    count(*) as n,
    fsum(value) as total,
    fsum(value * value) as squares
from placed
group by place
order by shortest
