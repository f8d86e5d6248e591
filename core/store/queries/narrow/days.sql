-- Reads the temporary table sample_day; days are written as 2026-11-30, "none" means no day.
delete from matched
where position not in (
    select position from sample_day where list_contains($days, coalesce(strftime(day, '%Y-%m-%d'), 'none'))
)
