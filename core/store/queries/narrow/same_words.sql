-- Keeps samples whose contexts at two ranks share so much of their words; both ends belong to the range.
delete from matched
where position not in (
    select position
    from redundancy
    where run_id = $run_id and rank_a = $rank_a and rank_b = $rank_b and jaccard between $low and $high
)
