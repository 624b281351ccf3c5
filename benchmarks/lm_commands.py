"""`binyan lm perplexity` and `lm score` against KenLM's query, as commands, interleaved in one run on the same text.

python benchmarks/lm_commands.py --model model.binyan --text text.txt --query path/to/query --kenlm-model model.probing

The time of a command is that of the whole text less that of its first line: starting and opening the model are printed apart.
Ratios are of processor time and of the clock; ours uses all cores.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from children import Cost, least, run

FORMS = {
    "perplexity": (["perplexity"], "summary"),
    "score": (["score"], "sentence"),
    "score --tokens": (["score", "--tokens"], "word"),
}


def main() -> None:
    """Run each command on the text and on its first line, and print what the difference costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--query", required=True, help="KenLM's query program")
    parser.add_argument("--kenlm-model", required=True, help="the same model for it")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    report = {}
    with tempfile.TemporaryDirectory() as folder:
        line = Path(folder, "line")
        with open(options.text, "rb") as text:
            line.write_bytes(text.readline())
        for name, (command, detail) in FORMS.items():
            programs = {
                "binyan": [
                    sys.executable,
                    "-m",
                    "binyan",
                    "lm",
                    command[0],
                    options.model,
                    "--text",
                    "-",
                    *command[1:],
                ],
                "query": [options.query, "-v", detail, options.kenlm_model],
            }
            costs: dict[str, dict[str, list[Cost]]] = {p: {"text": [], "line": []} for p in programs}
            for _ in range(options.rounds):
                for program, arguments in programs.items():
                    costs[program]["text"].append(run(arguments, options.text))
                    costs[program]["line"].append(run(arguments, line))
            spent = {
                program: {
                    "cpu": least(cost["text"]).cpu - least(cost["line"]).cpu,
                    "wall": least(cost["text"]).wall - least(cost["line"]).wall,
                    "start_cpu": least(cost["line"]).cpu,
                    "start_wall": least(cost["line"]).wall,
                }
                for program, cost in costs.items()
            }
            report[name] = spent
            ours, theirs = spent["binyan"], spent["query"]
            print(
                f"{name:15} query / binyan: {theirs['cpu'] / ours['cpu']:.2f} by processor time, "
                f"{theirs['wall'] / ours['wall']:.2f} by the clock; one line takes {ours['start_cpu']:.2f} and "
                f"{theirs['start_cpu']:.2f} seconds of processor time",
                flush=True,
            )
    print(json.dumps(report))


if __name__ == "__main__":
    main()
