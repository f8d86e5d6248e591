select
    position, context_rank, criterion, rater, value, category, note, tags, rubric, is_blind, labelled_at
from label
where run_id = $run_id and position in (select unnest($positions::bigint[]))
    and label_no <= $last_no
order by position, label_no
