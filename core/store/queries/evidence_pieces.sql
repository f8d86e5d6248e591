select row, unnest(grades) as grade from evidence order by row
