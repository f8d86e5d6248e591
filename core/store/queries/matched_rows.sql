with

severities as (
    select unnest($severity) as severity, generate_subscripts($severity, 1) - 1 as code
)

select
    sample_id, position, code, context_relevance, groundedness, answer_relevance,
    coalesce(is_noisy, false) as is_noisy, is_borderline, is_partial, is_partial_refusal, is_unstable, is_proxy_hit
from matched
inner join severities using (code)
order by severity, distance asc nulls last, sample_id
