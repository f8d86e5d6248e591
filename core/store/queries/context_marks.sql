-- What a judge or a person said about single contexts of matched samples: one row per context and source.
-- Of a judge the newest settled verdict of each repeat, of a rater the latest label; then the mean.
create or replace temp table context_marks as
with

judged as (
    select position, rank, metric, judge_id, repeat, arg_max(value, verdict_no) as value
    from context_verdicts
    where run_id = $run_id
    group by all
),

labelled as (
    select position, context_rank as rank, criterion, rater, arg_max(value, label_no) as value
    from label
    where run_id = $run_id and context_rank is not null
    group by all
),

marks as (
    select 'verdict' as kind, metric as name, judge_id as source, position, rank, avg(value) as value
    from judged
    group by all
    union all
    select 'label', criterion, '', position, rank, avg(value)
    from labelled
    where value is not null
    group by all
    union all
    -- Scores of single contexts in the verdict of the sample, where each context has one.
    select 'axis', 'context_relevance', '', position, generate_subscripts(context_scores, 1), unnest(context_scores)
    from wide
    where run_id = $run_id and not is_partial and len(context_scores) = n_contexts
)

select marks.*
from marks
inner join matched using (position)
where isfinite(value)
