-- Per metric and judge of a run: states and the range of the values, newest verdict per sample.
-- Whether a sample has several is told by counting positions by their bits, the last being $last.
with

sets as (
    select metric, judge_id, count(*) > bit_count(bitstring_agg(position, 0, $last)) as is_crowded
    from verdict
    where run_id = $run_id and context_rank is null
    group by metric, judge_id
),

newest as (
    select
        metric,
        judge_id,
        arg_max(
            {'status': status, 'value': value},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from verdict
    semi join (select metric, judge_id from sets where is_crowded) as crowded using (metric, judge_id)
    where run_id = $run_id and context_rank is null
    group by metric, judge_id, position
),

counting as (
    select metric, judge_id, verdict.status as status, verdict.value as value from newest
    union all
    select metric, judge_id, status, value
    from verdict
    anti join (select metric, judge_id from sets where is_crowded) as crowded using (metric, judge_id)
    where run_id = $run_id and context_rank is null
)

select
    metric,
    judge_id,
    judge.kind,
    judge.model,
    count(*) filter (status = 'value') as n,
    count(*) filter (status = 'not_applicable') as not_applicable,
    count(*) filter (status = 'error') as error,
    avg(value) as mean,
    min(value) as min,
    max(value) as max
from counting
inner join judge using (judge_id)
group by all
order by metric, kind, judge_id
