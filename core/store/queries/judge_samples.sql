with

wanted as (
    select unnest($positions::bigint[]) as position
),

known as (
    select position, label_refused, refusal from wide
    where run_id = $run_id and position in (select position from wanted)
),

-- What an import found to be cut before the file was saved.
cut as (
    select position, list(distinct value order by value) as cut_texts
    from tag
    where run_id = $run_id and name = 'truncated' and value in ('answer', 'context')
        and position in (select position from wanted)
    group by position
)

select
    sample.position, sample_id, question, answer, reference_texts, is_contexts_recorded,
    coalesce(label_refused, case when refusal is not null then (refusal >= 0.5)::tinyint end) as refused,
    history,
    coalesce(cut_texts, []) as cut_texts
from sample
left join known using (position)
left join cut using (position)
where run_id = $run_id and sample.position in (select position from wanted)
order by sample.position
