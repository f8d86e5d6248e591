-- States of the triad scores of the matched samples; a NULL status is a sample nobody scored.
with

states as (
    select 'context_relevance' as axis, context_relevance_status as status, context_relevance_cause as cause, wide.context_relevance as score
    from wide inner join matched using (position) where run_id = $run_id
    union all
    select 'groundedness', groundedness_status, groundedness_cause, wide.groundedness
    from wide inner join matched using (position) where run_id = $run_id
    union all
    select 'answer_relevance', answer_relevance_status, answer_relevance_cause, wide.answer_relevance
    from wide inner join matched using (position) where run_id = $run_id
)

select
    axis,
    coalesce(status, 'not_scored') as status,
    case when status = 'value' then null else cause end as cause,
    count(*) as n,
    sum(score) as total
from states
group by all
order by all
