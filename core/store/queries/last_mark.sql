-- Number of the newest mark of a source on a single context; 0 without one.
select coalesce(max(number), 0)
from (
    select verdict_no as number
    from context_verdicts
    where $kind = 'verdict' and run_id = $run_id and metric = $name and judge_id = $source
    union all
    select label_no
    from label
    where $kind = 'label' and run_id = $run_id and context_rank is not null and criterion = $name
)
