-- Digit of a pattern code: 1 high, 0 low, 2 unknown. sign is 1 where higher is better, else -1.
create temp macro if not exists digit(score, cut, sign) as
    case when score is null or cut is null then 2 when score * sign >= cut * sign then 1 else 0 end;

-- The slack of 1e-12 keeps a score that stands on the edge of the band inside it.
create temp macro if not exists is_near(score, cut, band) as
    coalesce(abs(score - cut) <= band + 1e-12, false);
