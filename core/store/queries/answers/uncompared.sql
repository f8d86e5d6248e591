-- Positions of the samples whose answer has not been compared; none where the run has no answers.
with

compared as (
    select position
    from verdict
    where run_id = $run_id and metric = 'answer_words' and judge_id = $judge_id
)

select position
from sample
inner join run using (run_id)
where run_id = $run_id and run.has_answers and position not in (select position from compared)
order by position
