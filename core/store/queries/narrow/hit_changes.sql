-- Keeps samples whose hit under the plain rule differs from that under the rule of the run.
-- $hit_share: as in match.sql.
delete from matched
where position not in (
    select plain.position
    from sample_hits as plain
    inner join matched using (position)
    where plain.run_id = $run_id and plain.rule = ''
        and list_contains(
            $hit_changes,
            case
                when basis is null and cue_code // 27 < 2 then 'assessed'
                when basis is not null and cue_code // 27 = 1
                    and not (
                        len(list_distinct(flatten(held))) > 0
                        and len(list_distinct(flatten(held))) >= $hit_share * len(grades) - 1e-9
                    ) then 'gained'
                when cue_code // 27 = 0
                    and len(list_distinct(flatten(held))) > 0
                    and len(list_distinct(flatten(held))) >= $hit_share * len(grades) - 1e-9 then 'lost'
            end
        )
)
