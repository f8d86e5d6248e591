select len(stages)::bigint as n_contexts from evidence order by row
