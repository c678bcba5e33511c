"""``python -m companion.clinic module:function --pattern "sliding_window(64)"``.

Exit status: 0 healthy, 1 findings, 2 the function could not be found or called.
"""

import argparse
import importlib
import sys

from companion.clinic.adapt import LAYOUTS, STYLES
from companion.clinic.examination import PARTS, examine
from companion.clinic.spell import parse_pattern

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Runs one examination and prints its report; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        fn = _find(options.function)
        pattern = parse_pattern(options.pattern)
        report = examine(
            fn, pattern, style=options.style, layout=options.layout, kind=options.kind, scale=options.scale,
            lengths=options.lengths, strict=options.strict, skip=options.skip, seed=options.seed,
            seconds=options.seconds, device=options.device,
        )  # fmt: skip
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        print(f"{options.function}: {error}", file=sys.stderr)
        return 2
    print(report.to_json() if options.json else report)
    return 2 if not report.called else int(not report.healthy)


def _find(name):
    """The object that ``module:function`` names; dots after the colon reach into classes and modules."""
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise ValueError("expected module:function, such as my_package.attention:attend")
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m companion.clinic", description="Names the bug in an attention function."
    )
    parser.add_argument("function", help="module:function")
    parser.add_argument("--pattern", default="causal()", help='such as "sliding_window(64) | sinks(4)"')
    parser.add_argument("--style", choices=sorted(STYLES), help="what it takes beside query, key and value")
    parser.add_argument("--layout", choices=LAYOUTS, help="axes of query, key and value")
    parser.add_argument("--kind", choices=("numpy", "torch"), help="kind of array")
    parser.add_argument("--scale", type=float, help="what scores are multiplied by (D ** -0.5)")
    parser.add_argument("--lengths", type=int, nargs="+", help="token counts to try")
    parser.add_argument(
        "--strict", action="store_true", help="also what a matrix product alone does not give"
    )
    parser.add_argument("--skip", nargs="+", default=(), choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0, help="after which a call is stopped")
    parser.add_argument("--device", default="cpu", help="where tensors lie")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
