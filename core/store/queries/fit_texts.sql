-- Texts of a bounded part of the run, chosen by the hash of the sample id: the contexts, or where
-- the run records none the questions and answers.
with

chosen as (
    select position, question, answer
    from sample
    where run_id = $run_id
    order by md5(sample_id), position
    limit $limit
),

context_texts as (
    select position, rank, text
    from context
    inner join chosen using (position)
    where run_id = $run_id and text is not null
),

other_texts as (
    select position, 1 as rank, question as text from chosen
    union all
    select position, 2, answer from chosen
),

final as (
    select * from context_texts
    union all
    select * from other_texts where not exists (select 1 from context_texts)
)

select text from final order by position, rank
