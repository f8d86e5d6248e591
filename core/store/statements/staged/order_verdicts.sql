update verdict
set verdict_no = ordered.number
from (
    select verdict_no, row_number() over (order by judged_at, verdict_no) as number
    from verdict
    where run_id = $run_id
) as ordered
where verdict.run_id = $run_id and verdict.verdict_no = ordered.verdict_no
