-- Scores of one triad axis counted in $bins equal steps from $lo to $hi; the last step holds $hi too.
with

scores as (
    select
        case $axis
            when 'context_relevance' then context_relevance
            when 'groundedness' then groundedness
            when 'answer_relevance' then answer_relevance
        end as score
    from matched
),

final as (
    select
        greatest(0, least($bins - 1, floor((score - $lo) / ($hi - $lo) * $bins + 1e-9)))::integer as bin,
        count(*) as n
    from scores
    where score is not null
    group by all
)

select * from final order by bin
