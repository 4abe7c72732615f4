"""The command line: parses, calls one function, prints."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator

import click

from berx_gpu import __version__
from berx_gpu.cli.commands import candidates, check, compare, decide, judge, posterior, score, sweep
from berx_gpu.errors import DataError, MissingDependencyError
from berx_gpu.runtime.progress import progress

BAD_INPUT, INTERRUPTED = 2, 130
_PATIENCE = 1.0
"""After how many seconds a command shows how far it has come."""


def main() -> None:
    """Run the command line: exit 0 done, 1 gate failed, 2 bad input with one line."""
    if hasattr(signal, "SIGPIPE"):  # a reader that leaves early ends the command in silence
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        with _progress_bar():
            code = cli(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except (DataError, MissingDependencyError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        code = _told(_with_flag(text))
    except OSError as error:
        _told(f"the result cannot be written: {error.strerror or error}")
        os._exit(BAD_INPUT)  # Python would try, and fail, to write the rest at its exit
    except MemoryError as error:
        code = _told(
            f"the memory does not suffice{f' ({error})' if str(error) else ''}; score fewer "
            "entities at a time with --only, or give the command a machine or a card with more"
        )
    except Exception as error:
        code = _told(f"this is a fault of berx-gpu, please report it: {error!r}")
    sys.exit(code or 0)


@contextlib.contextmanager
def _progress_bar() -> Iterator[None]:
    """Show how far a long command has come, on a terminal and there on a line that goes away."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    shown, start = "", time.monotonic()

    def show(step: str, done: int, total: int) -> None:
        nonlocal shown
        bar = f"{step} {'█' * (20 * done // total):░<20} {100 * done // total:3} %"
        text = "" if done == total else bar
        if text != shown and time.monotonic() - start > _PATIENCE:
            shown = text
            click.echo(f"\r{text:<60}\r", nl=False, err=True)

    with progress(show):
        yield


_FLAG_OF = {"ci": "level", "confidence_level": "level", "rng": "seed"}


def _with_flag(text: str) -> str:
    """Return a message about an option, which the library names first, with the command's flag."""
    option, equals, rest = text.partition("=")
    command = cli.commands.get(next((word for word in sys.argv[1:] if word[:1] != "-"), ""))
    for parameter in command.params if command else ():
        if parameter.name == _FLAG_OF.get(option, option) and equals:
            return f"{parameter.opts[0]}={rest}"
    return text


def _told(message: str) -> int:
    with contextlib.suppress(OSError):
        click.echo(f"berx-gpu: error: {' '.join(message.split())}", err=True)
    return BAD_INPUT


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="berx-gpu")
@click.pass_context
def cli(context: click.Context) -> None:
    """Score entity-resolution output: how good it is and where it fails."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (
    score.score,
    sweep.sweep,
    decide.decide,
    compare.compare,
    posterior.posterior,
    judge.judge,
    candidates.candidates,
    check.check,
):
    cli.add_command(_command)

if __name__ == "__main__":
    main()
