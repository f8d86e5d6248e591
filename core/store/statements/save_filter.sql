insert into saved_filter by name
select $name as name, $query as query, $now as saved_at
