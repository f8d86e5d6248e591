select name, query from saved_filter order by name
