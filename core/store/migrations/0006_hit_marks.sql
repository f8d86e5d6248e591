-- Whose marks on single contexts decide where words find nothing: a JSON document, NULL where nobody's.
alter table hit_rule add column marks json;

-- What judges said of single contexts: verdicts on a context, and the lists behind context precision.
create view context_verdicts as
select run_id, position, context_rank as rank, metric, judge_id, repeat, verdict_no, value
from verdict
where context_rank is not null and status = 'value'
union all
select
    run_id, position, (item ->> 'rank')::integer, metric, judge_id, repeat, verdict_no,
    if((item ->> 'useful')::boolean, 1.0, 0.0)
from (
    select run_id, position, metric, judge_id, repeat, verdict_no, unnest((detail -> 'contexts')::json[]) as item
    from verdict
    where context_rank is null and status = 'value' and metric = 'context_precision'
        and json_type(detail, '$.contexts[0].useful') = 'BOOLEAN'
);
