delete from saved_filter where name = $name
