-- Scored samples in the order of the file, each with its label where it has one.
-- $categories are the labels without a number; question tells samples of one question in several runs.
with

parts as (
    select position, part from label_part where run_id = $run_id and criterion = $criterion
)

select
    kept.position,
    scored.value as score,
    labelled.value as label,
    case
        when labelled.value is null then coalesce(list_position($categories::varchar[], labelled.category), 0)
        else 0
    end::integer as category,
    labelled.position is not null as is_labelled,
    hash(kept.sample_id) as question,
    coalesce(list_position(['train', 'dev', 'test'], parts.part), 0)::tinyint as part
from kept
left join scored using (position)
left join labelled using (position)
left join parts using (position)
where scored.value is not null or labelled.position is not null
order by kept.position
