with

numbered as (
    select
        source_row,
        sample_id,
        first_value(source_row) over repeats as first_row,
        row_number() over repeats as n
    from sample
    window repeats as (partition by run_id, sample_id order by position)
)

select source_row, sample_id, first_row
from numbered
where n > 1
order by source_row
