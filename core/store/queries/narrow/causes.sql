-- A cause is "status:cause" of a triad score, a status with whatever cause, or "not_scored".
delete from matched
where position not in (
    select position
    from wide
    where run_id = $run_id
        and list_has_any(
            [
                context_relevance_status || ':' || context_relevance_cause,
                groundedness_status || ':' || groundedness_cause,
                answer_relevance_status || ':' || answer_relevance_cause,
                coalesce(context_relevance_status, 'not_scored'),
                coalesce(groundedness_status, 'not_scored'),
                coalesce(answer_relevance_status, 'not_scored')
            ],
            $causes
        )
)
