select position from matched order by position
