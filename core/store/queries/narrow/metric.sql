-- Reads the temporary table scored; both ends belong to the range.
delete from matched
where position not in (select position from scored where value between $low and $high)
