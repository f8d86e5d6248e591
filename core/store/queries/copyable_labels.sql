-- Labels of one run that fit the samples of another, where they are not yet: by the same id and the
-- same answer, and a label of one context only where the context says the same. Labels of a file
-- come with the file.
with labelled as (
    select * from label where run_id = $source_id and rater <> 'file'
),
pair as (
    select old.position as position, new.position as new_position
    from sample as old
    join sample as new
        on new.sample_id = old.sample_id and new.answer is not distinct from old.answer
    where
        old.run_id = $source_id and new.run_id = $target_id
        and old.position in (select position from labelled)
)
select
    pair.new_position, labelled.context_rank, labelled.criterion, labelled.rater, labelled.value,
    labelled.category, labelled.note, labelled.tags, labelled.rubric, labelled.is_blind,
    labelled.labelled_at
from labelled
join pair on pair.position = labelled.position
where
    (
        labelled.context_rank is null
        or exists (
            select 1
            from context as before
            join context as after on after.text = before.text and after.rank = before.rank
            where
                before.run_id = $source_id and before.position = labelled.position
                and before.rank = labelled.context_rank
                and after.run_id = $target_id and after.position = pair.new_position
        )
    )
    and not exists (
        select 1
        from label as there
        where
            there.run_id = $target_id and there.position = pair.new_position
            and there.context_rank is not distinct from labelled.context_rank
            and there.criterion = labelled.criterion and there.rater = labelled.rater
            and there.labelled_at = labelled.labelled_at
    )
order by labelled.label_no
