-- Digit of a pattern code: 1 high, 0 low, 2 unknown. sign is 1 where higher is better, else -1.
create temp macro if not exists digit(score, cut, sign) as
    case when score is null or cut is null then 2 when score * sign >= cut * sign then 1 else 0 end;

-- A sample is borderline if a score lies within 5 % of its scale of the cut.
create temp macro if not exists is_near(score, cut, width) as
    coalesce(abs(score - cut) <= 0.05 * width + 1e-12, false);
