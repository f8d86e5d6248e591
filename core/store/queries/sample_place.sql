-- Where one sample stands among the matched ones, and its neighbours in the same order.
with

severities as (
    select unnest($severity) as severity, generate_subscripts($severity, 1) - 1 as code
),

ordered as (
    select
        matched.position,
        sample_id,
        row_number() over queue as place,
        lag(sample_id) over queue as previous_id,
        lead(sample_id) over queue as next_id
    from matched
    inner join severities using (code)
    window queue as (order by severity, distance asc nulls last, sample_id)
)

select place, previous_id, next_id from ordered where position = $position
