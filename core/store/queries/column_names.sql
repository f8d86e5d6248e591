with

final as (
    select distinct 'metric' as kind, metric as name from verdict where run_id = $run_id
    union all
    select distinct 'criterion', criterion from label where run_id = $run_id
    union all
    select distinct 'tag', name from tag where run_id = $run_id
)

select * from final order by kind, name
