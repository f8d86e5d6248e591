insert into label by name
select
    $run_id as run_id, $label_no as label_no, $position as position, $criterion as criterion,
    $rater as rater, $value as value, $category as category, $note as note, $tags as tags,
    $rubric as rubric, $is_blind as is_blind, $now as labelled_at
