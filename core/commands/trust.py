"""``calibrate``, ``agree``: whether the numbers can be trusted."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from core.commands.common import (
    EXIT_BAD_INPUT,
    FilterOption,
    JsonOption,
    RunArgument,
    SetOption,
    StoreOption,
    errors,
    open_store,
    print_json,
    print_lines,
)

if TYPE_CHECKING:
    from core.metrics.agreement import Weights
    from core.store.connection import Store


def calibrate(
    runs: Annotated[list[str], typer.Argument(help="Ids or unique names of runs.")],
    score: Annotated[
        list[str],
        typer.Option("--score", help="An axis, a metric, or METRIC@JUDGE. Repeatable."),
    ],
    label: Annotated[str, typer.Option("--label", help="The label that says what is right.")],
    positive: Annotated[
        str | None, typer.Option("--positive", help="The label's value to detect (default 1).")
    ] = None,
    label_cut: Annotated[
        float | None, typer.Option("--label-cut", help="Ratings from here on count as 1.")
    ] = None,
    direction: Annotated[
        str | None, typer.Option("--direction", help="higher or lower: which scores are good.")
    ] = None,
    part: Annotated[
        str, typer.Option("--part", help="train, dev or test of the split labels.")
    ] = "",
    split: Annotated[
        bool, typer.Option("--split", help="Split the labels into train, dev and test first.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the split.")] = 0,
    open_test: Annotated[
        bool, typer.Option("--open-test", help="Open the test part; this is logged.")
    ] = False,
    target_tpr: Annotated[
        float, typer.Option("--target-tpr", min=0, max=1, help="Suggest a cut that reaches it.")
    ] = 0.9,
    cost: Annotated[
        str | None,
        typer.Option("--cost", help="MISS:FALSE_ALARM, what either error costs, such as 5:1."),
    ] = None,
    pool: Annotated[bool, typer.Option("--pool", help="Take all runs as one.")] = False,
    cuts: SetOption = None,
    filters: FilterOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a score with a human label: ROC, cut, matrix, corrected rate."""
    with errors(as_json):
        from core.filters import from_terms
        from core.workflows.calibrating import calibrate as work
        from core.workflows.calibrating import undefined_because
        from core.workflows.calibration_json import calibration_lines, calibrations_json
        from core.workflows.review import View
        from core.workflows.trust_options import Parts, parse_costs, parse_cuts, questions

        opened = open_store(store)
        parts = Parts(part, split, seed, open_test)
        parts.prepare(opened, runs, label)
        found = work(
            opened,
            runs,
            questions(
                score,
                label,
                positive=positive,
                label_cut=label_cut,
                direction=direction,
                part=part,
                target_tpr=target_tpr,
                cuts=parse_cuts(cuts or ()),
            ),
            View(wanted=from_terms(filters or ())),
            pool=pool,
        )
        reasons = [
            reason
            for one in found.found
            if (reason := undefined_because(one.paired, one.ranking.auc)) is not None
        ]
        if as_json:
            document = calibrations_json(found, parse_costs(cost))
            if reasons:
                document["problems"] = [{"row": None, "problem": reason} for reason in reasons]
            print_json(document)
        else:
            print_lines(calibration_lines(found))
    if reasons:
        raise typer.Exit(EXIT_BAD_INPUT)


def agree(
    run: RunArgument,
    criterion: Annotated[
        str | None,
        typer.Option("--criterion", help="The label that people gave. Without it: all, in short."),
    ] = None,
    weights: Annotated[
        str,
        typer.Option("--weights", help="identity, linear, quadratic or ordinal: partial credit."),
    ] = "identity",
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="All categories, such as 1..5, 1..4/0.5 or poor,fair,good."),
    ] = None,
    tag: Annotated[
        str | None, typer.Option("--by", help="Compare the ratings by the values of this tag.")
    ] = None,
    score: Annotated[
        str | None, typer.Option("--score", help="Compare this score with the mean rating too.")
    ] = None,
    filters: FilterOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how far raters agree with each other, and a judge with them and with itself."""
    with errors(as_json):
        from core.filters import from_terms
        from core.workflows.agreeing import agree as work
        from core.workflows.agreement_json import report_json, report_lines
        from core.workflows.review import View
        from core.workflows.trust_options import parse_weights, without_criterion

        wanted = parse_weights(weights)
        if criterion is None:
            without_criterion(scale, tag, score)
            _criteria(open_store(store), run, wanted, filters or (), as_json=as_json)
            return
        found = work(
            open_store(store),
            run,
            criterion,
            weights=wanted,
            scale=scale,
            view=View(wanted=from_terms(filters or ())),
            tag=tag,
            score=score,
        )
        if as_json:
            document = report_json(found)
            if found.reason is not None:
                document["problems"] = [{"row": None, "problem": found.reason}]
            print_json(document)
        else:
            print_lines(report_lines(found))
    if found.reason is not None:
        raise typer.Exit(EXIT_BAD_INPUT)


def _criteria(
    store: "Store", run: str, weights: "Weights", filters: Iterable[str], *, as_json: bool
) -> None:
    from core.filters import from_terms
    from core.workflows.criteria import criteria, criteria_json, criteria_lines
    from core.workflows.review import View

    found = criteria(store, run, weights=weights, view=View(wanted=from_terms(filters)))
    if as_json:
        print_json(criteria_json(found, weights))
    else:
        print_lines(criteria_lines(found))
