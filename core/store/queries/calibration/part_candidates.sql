-- Labelled samples of a criterion with the part they have, for dealing the others.
select sample.position, sample.sample_id, label.value, label.category, parts.part
from label_current as label
inner join sample on sample.run_id = label.run_id and sample.position = label.position
left join label_part as parts
    on parts.run_id = label.run_id and parts.criterion = label.criterion and parts.position = label.position
where label.run_id = $run_id and label.criterion = $criterion
order by sample.position
