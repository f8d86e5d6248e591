-- Every metric and judge of a run: how many samples, how many repeats, which range.
-- Positions are counted by their bits: exact, and at a million samples ten times as fast as distinct.
with

counted as (
    select
        metric,
        judge_id,
        bit_count(bitstring_agg(position, 0, $last)) as n_any_status,
        coalesce(bit_count(bitstring_agg(position, 0, $last) filter (status = 'value')), 0) as n_value,
        max(repeat) + 1 as n_repeats,
        max(verdict_no) as newest_no,
        min(value) as lowest,
        max(value) as highest
    from verdict
    where run_id = $run_id and context_rank is null
    group by metric, judge_id
)

select metric, judge_id, judge.kind, judge.model, n_any_status, n_value, n_repeats, newest_no, lowest, highest
from counted
inner join judge using (judge_id)
order by all
