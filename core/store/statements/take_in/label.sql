-- Labels of a run that is appended to go on counting where the stored ones end.
with

last as (
    select run_id, max(label_no) as label_no
    from label
    where list_contains($appended, run_id)
    group by run_id
)

insert into label by name
select staged.* replace (staged.label_no + coalesce(last.label_no, 0) as label_no)
from staging.label as staged
left join last using (run_id)
