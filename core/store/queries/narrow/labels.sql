-- Wanted labels of one criterion are texts; $is_open also keeps what nobody labelled.
delete from matched
where not (
    position in (
        select position
        from label_current
        where run_id = $run_id
            and criterion = $criterion
            and list_contains($labels, coalesce(category, format('{:g}', value), 'unknown'))
    )
    or (
        $is_open
        and position not in (
            select position from label_current where run_id = $run_id and criterion = $criterion
        )
    )
)
