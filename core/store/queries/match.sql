-- The samples of one run with the code of their pattern at the current and at the stored cuts.
-- $cuts and $stored_cuts: per axis {cut, sign, band, span}; band is NULL where a score cannot be near its cut.
-- $hit_share: share of the pieces of evidence that must be retrieved for a hit; 0 means any of them.
create or replace temp table matched as
with

run_rows as (
    select * from wide where run_id = $run_id and position between $first and $last
),

answers as (
    select
        *,
        case
            when label_refused is not null then label_refused
            when refusal is null then 2
            when refusal >= 0.5 then 1
            else 0
        end as refused,
        coalesce(label_answerable, 2) as answerable
    from run_rows
),

digits as (
    select
        *,
        case
            when context_relevance is null and context_relevance_cause = 'no_contexts' then 0
            else digit(context_relevance, ($cuts).context_relevance.cut, ($cuts).context_relevance.sign)
        end as cr,
        digit(groundedness, ($cuts).groundedness.cut, ($cuts).groundedness.sign) as g,
        digit(answer_relevance, ($cuts).answer_relevance.cut, ($cuts).answer_relevance.sign) as ar,
        coalesce(label_correct, text_correct, digit(correctness, ($cuts).correctness.cut, ($cuts).correctness.sign)) as correct,
        case
            when label_correct is not null then 'label'
            when text_source is not null then text_source
            when digit(correctness, ($cuts).correctness.cut, ($cuts).correctness.sign) < 2 then 'judge'
            else 'none'
        end as correct_source,
        case
            when n_pieces is null then 2
            when n_pieces_held > 0 and n_pieces_held >= $hit_share * n_pieces - 1e-9 then 1
            else 0
        end as hit,
        digit(adherence, ($cuts).adherence.cut, ($cuts).adherence.sign) as adheres,
        case
            when context_relevance is null and context_relevance_cause = 'no_contexts' then 0
            else digit(context_relevance, ($stored_cuts).context_relevance.cut, ($stored_cuts).context_relevance.sign)
        end as stored_cr,
        digit(groundedness, ($stored_cuts).groundedness.cut, ($stored_cuts).groundedness.sign) as stored_g,
        digit(answer_relevance, ($stored_cuts).answer_relevance.cut, ($stored_cuts).answer_relevance.sign) as stored_ar,
        coalesce(label_correct, text_correct, digit(correctness, ($stored_cuts).correctness.cut, ($stored_cuts).correctness.sign)) as stored_correct
    from answers
),

final as (
    select
        position,
        sample_id,
        context_relevance,
        groundedness,
        answer_relevance,
        ((((cr * 3 + g) * 3 + ar) * 3 + refused) * 3 + correct) * 3 + answerable as code,
        ((hit * 3 + adheres) * 3 + correct) * 3 + refused as cue_code,
        adherence,
        correct_source,
        ((((stored_cr * 3 + stored_g) * 3 + stored_ar) * 3 + refused) * 3 + stored_correct) * 3 + answerable as stored_code,
        cr = 1 and len(context_scores) > 0
            and len(list_filter(context_scores, lambda s: s * ($cuts).context_relevance.sign >= ($cuts).context_relevance.cut * ($cuts).context_relevance.sign - 1e-9))
                < 0.5 * len(context_scores) as is_noisy,
        is_near(context_relevance, ($cuts).context_relevance.cut, ($cuts).context_relevance.band)
            or is_near(groundedness, ($cuts).groundedness.cut, ($cuts).groundedness.band)
            or is_near(answer_relevance, ($cuts).answer_relevance.cut, ($cuts).answer_relevance.band) as is_borderline,
        is_partial,
        is_partial_refusal,
        is_unstable,
        coalesce(is_proxy_hit, false) as is_proxy_hit,
        least(
            abs(context_relevance - ($cuts).context_relevance.cut) / ($cuts).context_relevance.span,
            abs(groundedness - ($cuts).groundedness.cut) / ($cuts).groundedness.span,
            abs(answer_relevance - ($cuts).answer_relevance.cut) / ($cuts).answer_relevance.span
        ) as distance
    from digits
)

select * from final
