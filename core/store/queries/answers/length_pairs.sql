-- Length of the answer in words and value of the temporary table scored.
with

lengths as (
    select position, arg_max(value, verdict_no) as words
    from verdict
    where run_id = $run_id and metric = 'answer_words' and judge_id = $judge_id
    group by position
)

select words, value
from scored
semi join matched using (position)
inner join lengths using (position)
where value is not null and words is not null
order by position
