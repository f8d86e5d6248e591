-- Keeps samples of which one of these numbers lies between $low and $high: the ranks whose contexts
-- hold evidence, how many such contexts or pieces of evidence there are, or the rank with which the
-- retrieved pieces become enough (infinite where they never do).
-- $hit_share: as in match.sql.
delete from matched
where position not in (
    with

    found as (
        select
            position,
            grades,
            held,
            list_filter(range(1, len(held) + 1), lambda rank: len(held[rank]) > 0) as ranks,
            list_transform(
                range(1, len(held) + 1), lambda rank: len(list_distinct(flatten(held[:rank])))
            ) as n_held
        from sample_hits_now
        where run_id = $run_id and basis is not null and position in (select position from matched)
    ),

    counted as (
        select
            position,
            case $quantity
                when 'rank' then ranks::double[]
                when 'contexts' then [len(ranks)::double]
                when 'pieces' then [len(grades)::double]
                when 'hit_depth' then [
                    list_position(
                        list_transform(n_held, lambda n: n > 0 and n >= $hit_share * len(grades) - 1e-9), true
                    )::double
                ]
                when 'full_depth' then [list_position(n_held, len(grades))::double]
            end as numbers
        from found
    )

    select position
    from counted
    where len(list_filter(numbers, lambda n: coalesce(n, 'infinity') between $low and $high)) > 0
)
