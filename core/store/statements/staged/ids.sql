select source_row, sample_id from sample order by source_row
