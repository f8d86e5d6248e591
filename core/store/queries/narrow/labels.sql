-- Wanted labels are "criterion=value" with the number, the category, or "none" where nobody labelled.
delete from matched
where position not in (
    select position
    from label_current
    where run_id = $run_id
        and list_contains($labels, criterion || '=' || coalesce(category, format('{:g}', value), 'unknown'))
    union all
    select position
    from wide
    where run_id = $run_id
        and exists (
            select 1
            from (select unnest($unlabelled) as criterion) as open_criterion
            where not exists (
                select 1 from label_current
                where label_current.run_id = wide.run_id
                    and label_current.position = wide.position
                    and label_current.criterion = open_criterion.criterion
            )
        )
)
