-- Answers and references of a bounded part of the run, chosen by the hash of the sample id.
with

chosen as (
    select position, answer, reference_texts
    from sample
    where run_id = $run_id
    order by md5(sample_id), position
    limit $limit
),

final as (
    select position, 0 as n, answer as text from chosen
    union all
    select position, generate_subscripts(reference_texts, 1), unnest(reference_texts) from chosen
)

select text from final order by position, n
