-- Digit of a pattern code: 1 high, 0 low, 2 unknown. sign is 1 where higher is better, else -1.
-- A perfect score that was computed is often 0.9999999999: the slack of 1e-9 is SLACK of core.model.
create temp macro if not exists digit(score, cut, sign) as
    case when score is null or cut is null then 2 when score * sign >= cut * sign - 1e-9 then 1 else 0 end;

-- The slack of 1e-12 keeps a score that stands on the edge of the band inside it.
create temp macro if not exists is_near(score, cut, band) as
    coalesce(abs(score - cut) <= band + 1e-12, false);

-- The day that a text says, as it is written: a date, a time, or seconds or milliseconds since 1970; NULL for any other.
create temp macro if not exists day_of(said) as
    case
        when try_cast(said as double) between 1e9 and 1e10 then epoch_ms((try_cast(said as double) * 1000)::bigint)::date
        when try_cast(said as double) between 1e12 and 1e13 then epoch_ms(try_cast(said as double)::bigint)::date
        when try_cast(said as double) is not null then null
        else try_cast(said as timestamp)::date
    end;
