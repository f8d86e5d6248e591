"""The command line: thin commands over the workflows, with one JSON document on request.

What a command needs is imported inside it, so that ``--help`` and a mistyped option answer at once.
"""

import sys

import typer

from core.commands import data, diagnosis, judging, trust
from core.commands.common import EXIT_INTERRUPTED, STOPPED, print_problem, say

app = typer.Typer(
    name="ragtriage",
    help="Find out which part of a retrieval-augmented pipeline failed, from the files you have.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(data.demo)
app.command("import")(data.import_command)
app.command()(data.runs)
app.command()(judging.judge)
app.command()(diagnosis.diagnose)
app.command()(diagnosis.retrieval)
app.command()(diagnosis.report)
app.command()(trust.calibrate)
app.command()(trust.agree)
app.command()(data.export)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold bytes that are no text; the escape for them is JSON's own.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message()
        if "--json" in sys.argv:
            print_problem(message)
        is_help = len(sys.argv) == 1
        say(message if is_help else f"ragtriage: {message.rstrip('.')}. Try ragtriage --help.")
        code = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        say(STOPPED)
        code = EXIT_INTERRUPTED
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
