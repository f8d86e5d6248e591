select
    label_no, context_rank, criterion, rater, value, category, note, tags, rubric, is_blind, labelled_at
from label
where run_id = $run_id and position = $position
order by label_no
