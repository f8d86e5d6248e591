-- Makes the temporary table labelled: the majority of the raters per sample, a tie is unknown.
create or replace temp table labelled as
select position, value, category
from label_current
where run_id = $run_id and criterion = $criterion
