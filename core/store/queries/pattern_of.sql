select
    code,
    1 as n,
    coalesce(is_noisy, false) as noisy,
    is_borderline as borderline,
    is_partial as partial,
    is_partial_refusal as partial_refusal,
    is_unstable as unstable,
    is_proxy_hit as proxy_hit
from matched
where position = $position
