-- The state of one metric and judge; a later error does not displace a settled verdict.
with

states as (
    select
        position,
        arg_max(
            {'status': status, 'cause': coalesce(cause, '')},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as newest
    from verdict
    where run_id = $run_id and metric = $metric and judge_id = $judge_id and context_rank is null
    group by position
)

delete from matched
where not (
    position in (
        select position
        from states
        where list_has_any($states::varchar[], [newest.status, newest.status || ':' || newest.cause])
    )
    or (list_contains($states::varchar[], 'not_scored') and position not in (select position from states))
)
