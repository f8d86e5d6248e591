-- Keeps samples whose contexts at two ranks share so much of their words; both ends belong to the range.
-- $ranks: the two, the earlier first; none for any pair.
delete from matched
where position not in (
    select position
    from redundancy
    where run_id = $run_id
        and jaccard between $low and $high
        and (len($ranks::integer[]) = 0 or [rank_a, rank_b] = $ranks::integer[])
)
