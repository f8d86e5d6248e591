-- Verdicts of a run that is appended to go on counting where the stored ones end.
with

last as (
    select run_id, max(verdict_no) as verdict_no
    from verdict
    where list_contains($appended, run_id)
    group by run_id
)

insert into verdict by name
select staged.* replace (staged.verdict_no + coalesce(last.verdict_no, 0) as verdict_no)
from staging.verdict as staged
left join last using (run_id)
