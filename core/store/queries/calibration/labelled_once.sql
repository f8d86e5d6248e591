-- Makes the temporary table labelled: the current label per sample of a criterion with one rater.
create or replace temp table labelled as
select
    position,
    arg_max_null(value, label_no) as value,
    arg_max_null(category, label_no) as category
from label
where run_id = $run_id and criterion = $criterion and context_rank is null
group by position
