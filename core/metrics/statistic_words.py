"""What the figures of Calibration and Agreement mean, in words for people who do not compute them.

The pages explain themselves with these sentences, and Definitions lists them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StatisticSpec:
    """One figure: ``sentence`` says how to read it, ``undefined_when`` where it is a dash."""

    id: str
    name: str
    group: str
    sentence: str
    formula: str
    undefined_when: str = ""
    source: str = ""


_JUDGE, _PEOPLE, _BOTH = "Calibration", "Agreement", "Calibration and Agreement"
_STEADY = "Judge"

_SPECS = (
    StatisticSpec(
        "auc", "AUC, area under the ROC curve", _JUDGE,
        "Take one sample of either side of the label at random: how often has the right one the "
        "better score? 0.5 is chance, 1 is perfect; below 0.5 the score points the wrong way.",
        "(pairs in which the positive sample scores better + half of the ties) / all pairs",
        "all labels are alike",
        "DeLong, DeLong and Clarke-Pearson (1988) for the interval; bootstrap by question beside",
    ),
    StatisticSpec(
        "roc", "ROC curve", _JUDGE,
        "Every cut of the score at once: how much is found against how many false alarms. The "
        "further towards the upper left, the better; the dashed line is chance.",
        "true positive rate against false positive rate, from the strictest cut to the loosest; "
        "band: pointwise 95\u202f% interval by bootstrap",
        "all labels are alike",
        "Fawcett (2006), Pattern Recognition Letters 27",
    ),
    StatisticSpec(
        "average_precision", "Average precision", _JUDGE,
        "How pure the flagged samples are, averaged over all cuts. Compare it with the base rate, "
        "which is what flagging at random gives.",
        "sum over the cuts of (gain in true positive rate) × precision, without interpolation",
        "all labels are alike",
    ),
    StatisticSpec(
        "tpr", "True positive rate (sensitivity, recall)", _JUDGE,
        "Of the samples on the positive side of the label: how many does the score find?",
        "true positives / all positives; interval by Wilson",
        "no sample is on the positive side",
    ),
    StatisticSpec(
        "tnr", "True negative rate (specificity)", _JUDGE,
        "Of the samples on the other side of the label: how many does the score leave alone? One "
        "minus it is the share of false alarms.",
        "true negatives / all negatives; interval by Wilson",
        "no sample is on the other side",
    ),
    StatisticSpec(
        "precision", "Precision", _JUDGE,
        "Of what the score flags as positive: how much is? It depends on how common positives are.",
        "true positives / all that is flagged; interval by Wilson",
        "nothing is flagged",
    ),
    StatisticSpec(
        "f1", "F1", _JUDGE,
        "One number for finding much and flagging little wrongly: high only if both are. It says "
        "nothing about the negatives that are rightly left alone.",
        "2 TP / (2 TP + FP + FN); interval by bootstrap",
        "there is neither a positive nor anything flagged",
    ),
    StatisticSpec(
        "accuracy", "Accuracy", _JUDGE,
        "Share of the samples on which score and label agree. On unbalanced labels it flatters: a "
        "judge that always passes is right on 9 of 10 where 9 of 10 are good.",
        "(TP + TN) / n; interval by Wilson",
    ),
    StatisticSpec(
        "youden", "Youden's J", _JUDGE,
        "The cut at which the score tells the two sides apart best, if both errors weigh the same. "
        "Chosen and measured on the same labels, so it looks better than it will be.",
        "largest true positive rate − false positive rate; of equals the one with fewer false "
        "alarms",
        source="Youden (1950)",
    ),
    StatisticSpec(
        "corrected_rate", "Corrected rate", _JUDGE,
        "What share of all samples people would call good, worked out from the share that the "
        "score passes and from how often it errs on the labelled ones.",
        "(share passed + true negative rate − 1) / (true positive rate + true negative rate − 1), "
        "between 0 and 1; interval by bootstrap over both sets",
        "the score does not tell the two sides apart, or one side has no label",
        "Rogan and Gladen (1978)",
    ),
    StatisticSpec(
        "reliability", "Reliability of a score as probability", _JUDGE,
        "Whether a score of 0.8 means that 80 of 100 such samples bear the label. Dots below the "
        "diagonal: the score promises too much.",
        "per step of the score: mean score, and share of the label with its interval",
        "a score that is not 0 to 1",
    ),
    StatisticSpec(
        "correlation", "Pearson, Spearman, Kendall", _BOTH,
        "Do score and label rise together? 0: not at all, 1: always, −1: the other way round. "
        "Pearson looks at the numbers, Spearman and Kendall only at their order.",
        "intervals by Fisher's z; by bootstrap where questions repeat",
        "one of the two is the same for all samples",
        "Bonett and Wright (2000)",
    ),
    StatisticSpec(
        "kappa", "Cohen's κ", _BOTH,
        "How far two agree beyond what chance would give. 0: no more than chance, 1: always. Where "
        "nearly all answers are the same it can be near 0 although the two hardly ever differ.",
        "(agreement − expected agreement) / (1 − expected agreement); of several raters the mean "
        "over their pairs",
        "both gave one and the same answer throughout",
        "Cohen (1960, 1968)",
    ),
    StatisticSpec(
        "gwet", "Gwet's AC1 and AC2", _PEOPLE,
        "How far the raters agree beyond chance, also where nearly all answers are the same. 1: "
        "always, 0: no more than chance. AC2 gives credit for near ratings.",
        "(pa − pe) / (1 − pe), with pe from how common each category of the declared scale is; t "
        "interval over samples",
        "nothing has two ratings",
        "Gwet (2014), Handbook of Inter-Rater Reliability",
    ),
    StatisticSpec(
        "alpha", "Krippendorff's α", _PEOPLE,
        "Agreement beyond chance of any number of raters, also with gaps. Where nearly all answers "
        "are the same it can be near 0, as κ.",
        "1 − observed disagreement / disagreement expected by chance",
        "nothing has two ratings, or all ratings are equal",
        "Krippendorff (2004)",
    ),
    StatisticSpec(
        "absolute_agreement", "All raters equal", _PEOPLE,
        "Share of what two or more people rated on which all of them said the same. Chance is in "
        "it: with two answers and two raters half would be equal by tossing coins.",
        "units with equal ratings / units with two or more ratings; interval by Wilson",
        "nothing has two ratings",
    ),
    StatisticSpec(
        "mean_rating", "Mean rating", _PEOPLE,
        "Mean of all ratings. The interval takes the ratings of one sample together, since ten "
        "people who rate the same answer are not ten answers.",
        "sum of ratings / number of ratings; bootstrap that draws samples; SD with n − 1",
    ),
    StatisticSpec(
        "slice_test", "Kruskal–Wallis and chi-square", _PEOPLE,
        "Could the slices differ as much as they do by chance alone? A small p says hardly. Pairs "
        "are compared one by one, with p raised for their number.",
        "ratings: Kruskal–Wallis, pairs by Mann–Whitney; yes or no: chi-square, pairs by Fisher's "
        "exact test; p of pairs by Holm",
        "fewer than two slices with five rated samples, or all ratings equal",
    ),
    StatisticSpec(
        "flip_rate", "Flip rate", _PEOPLE,
        "A judge that is asked again: share of the samples whose repeats lie on both sides of the "
        "cut.",
        "samples with repeats on both sides / samples with two valid repeats; interval by Wilson",
        "the judge judged once, or its score has no cut",
    ),
    StatisticSpec(
        "vote_share", "Vote share", _STEADY,
        "How far the repeats of a judge back the score that is reported: 100\u202f% if all of them "
        "gave it.",
        "mean over samples of (repeats equal to the reported score / repeats with a score)",
        "the judge judged once, or its repeats are averaged, since a mean is hardly ever equal to "
        "one of them",
    ),
    StatisticSpec(
        "spread", "Spread over repeats", _STEADY,
        "How far apart a judge's repeats of the same sample lie, in the metric's own units.",
        "mean over samples of (largest repeat − smallest repeat); interval by bootstrap",
        "no sample has two repeats with a score",
    ),
    StatisticSpec(
        "interval", "95\u202f% interval", _BOTH,
        "Where the figure would lie if other samples of the same kind had been drawn, in 95 of 100 "
        "cases. Wide: look at more samples before deciding.",
        "by Wilson for shares, else as the figure says",
    ),
    StatisticSpec(
        "sample_size", "Number of labels needed", _JUDGE,
        "How many labels make a share known within a margin. A rate of one side needs that many "
        "labels of that side.",
        "z² p (1 − p) / margin², z = 1.96, rounded up; n / (1 + (n − 1) / N) of N samples",
        source="Cochran (1977)",
    ),
    StatisticSpec(
        "importance", "Importance of a feature", _JUDGE,
        "How far the mean F1 of the outcome predictor falls when one feature is shuffled: what it "
        "cannot do without. Features that say the same share theirs.",
        "permutation importance on the held-out samples",
    ),
)  # fmt: skip

STATISTICS = {spec.id: spec for spec in _SPECS}


def explain(*ids: str) -> str:
    """One paragraph per figure: its name and how to read it."""
    return "\n\n".join(f"**{STATISTICS[one].name}.** {STATISTICS[one].sentence}" for one in ids)
