-- Verdicts that come from the same requests name the one that keeps them.
with

this as (
    select verdict_no, position, repeat, judge_id, detail ->> '$.calls_with' as metric
    from verdict
    where run_id = $run_id and verdict_no = $verdict_no
),

keeper as (
    select case when this.metric is null then this.verdict_no else max(other.verdict_no) end as verdict_no
    from this
    left join verdict as other
        on
            other.run_id = $run_id
            and other.position = this.position
            and other.repeat = this.repeat
            and other.judge_id = this.judge_id
            and other.metric = this.metric
            and other.verdict_no < this.verdict_no
    group by this.metric, this.verdict_no
)

select
    n, step, context_rank, prompt, reply, finish_reason, error_kind, error, is_cached, request_sha256, latency, cost,
    tokens_in, tokens_out, settings, called_at, settings ->> '$.shared' is not null as is_shared
from call
inner join keeper using (verdict_no)
where run_id = $run_id
order by n
