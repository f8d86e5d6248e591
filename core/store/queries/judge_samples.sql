with

known as (
    select position, label_refused, refusal from wide
    where run_id = $run_id and position in (select unnest($positions::bigint[]))
)

select
    sample.position, sample_id, question, answer, reference_texts, is_contexts_recorded,
    coalesce(label_refused, case when refusal is not null then (refusal >= 0.5)::tinyint end) as refused
from sample
left join known using (position)
where run_id = $run_id and sample.position in (select unnest($positions::bigint[]))
order by sample.position
