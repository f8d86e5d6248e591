-- Values of one tag are alternatives; different tags must all match.
delete from matched
where position not in (
    select tag.position
    from tag
    inner join (select unnest($names) as name, unnest($values) as value) as wanted using (name, value)
    where tag.run_id = $run_id
    group by tag.position
    having count(distinct tag.name) = $n_names
)
