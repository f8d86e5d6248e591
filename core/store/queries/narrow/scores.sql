delete from matched
where not coalesce(
    case $axis
        when 'context_relevance' then context_relevance
        when 'groundedness' then groundedness
        when 'answer_relevance' then answer_relevance
    end between $low and $high,
    false
)
