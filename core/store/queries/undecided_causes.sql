-- Why the matched samples of some patterns lack triad scores; a sample can count for several causes.
with

undecided as (
    select
        wide.position,
        context_relevance_status, context_relevance_cause,
        groundedness_status, groundedness_cause,
        answer_relevance_status, answer_relevance_cause
    from wide
    inner join matched using (position)
    where wide.run_id = $run_id and list_contains($codes, matched.code)
),

states as (
    select position, context_relevance_status as status, context_relevance_cause as cause from undecided
    union all
    select position, groundedness_status, groundedness_cause from undecided
    union all
    select position, answer_relevance_status, answer_relevance_cause from undecided
)

select coalesce(status, 'not_scored') as status, cause, count(distinct position) as n
from states
where status is distinct from 'value'
group by all
order by n desc, status, cause
