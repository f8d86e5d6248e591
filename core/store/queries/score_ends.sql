-- Smallest and largest score of each triad axis among the matched samples.
select 'context_relevance' as axis, min(context_relevance) as low, max(context_relevance) as high
from matched
union all
select 'groundedness', min(groundedness), max(groundedness)
from matched
union all
select 'answer_relevance', min(answer_relevance), max(answer_relevance)
from matched
