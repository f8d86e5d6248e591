-- The newest usable reply to each of these requests, whatever run it was made for.
select
    request_sha256,
    arg_max(
        {'reply': reply, 'finish_reason': finish_reason, 'settings': settings, 'called_at': called_at},
        {'called_at': called_at, 'verdict_no': verdict_no}
    ) as found
from call
where request_sha256 in (select unnest($keys::varchar[])) and error_kind is null and not is_cached and reply is not null
group by request_sha256
