-- What several people said about one criterion, the latest of each: of samples, or of contexts where
-- only those were labelled. Answers without a number count where there is no number at all.
delete from matched
where position not in (
    with

    latest as (
        select
            position,
            context_rank,
            rater,
            arg_max_null(value, label_no) as value,
            arg_max_null(category, label_no) as category
        from label
        where
            run_id = $run_id
            and criterion = $criterion
            and (context_rank is not null) = (
                select bool_and(context_rank is not null)
                from label
                where run_id = $run_id and criterion = $criterion
            )
        group by position, context_rank, rater
    ),

    answers as (
        select
            position,
            context_rank,
            case when bool_or(value is not null) over () then value::varchar else category end as answer
        from latest
    ),

    units as (
        select position, count(distinct answer) as n_answers
        from answers
        where answer is not null
        group by position, context_rank
        having count(*) > 1
    )

    select position
    from units
    group by position
    having list_contains($relations, case when max(n_answers) > 1 then 'differ' else 'equal' end)
)
