delete from matched
where not (
    (not list_contains($flags, 'noisy_retrieval') or coalesce(is_noisy, false))
    and (not list_contains($flags, 'borderline') or is_borderline)
    and (not list_contains($flags, 'partial') or is_partial)
    and (not list_contains($flags, 'partial_refusal') or is_partial_refusal)
    and (not list_contains($flags, 'unstable_judge') or is_unstable)
    and (not list_contains($flags, 'proxy_hit') or is_proxy_hit)
)
