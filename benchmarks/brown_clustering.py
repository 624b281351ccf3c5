"""Brown clustering against percyliang/brown-cluster: seconds of processor time and mutual information kept, in one run.

python benchmarks/brown_clustering.py --text train.txt.xz -k 200 [--peer path/to/wcluster] [--exchange 2]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from binyan.clustering import WordClasses, average_mutual_information, brown
from binyan.text import Corpus


def main() -> None:
    """Run both on the same stream of words and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("-k", type=int, default=200)
    parser.add_argument("--exchange", type=int, default=0, help="exchange passes of ours")
    parser.add_argument("--peer", help="the wcluster program")
    options = parser.parse_args()
    corpus = Corpus.read([options.text])
    start = time.process_time()
    ours = brown(corpus, options.k, options.exchange, progress=False)
    seconds = time.process_time() - start
    kept = average_mutual_information(corpus, ours)
    print(f"{corpus!r}, {options.k} classes")
    print(f"binyan         {seconds:8.2f} s  average mutual information {kept:.5f} nats")
    if options.peer:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder, "text")
            sentences = (" ".join([*corpus.decode(i), "</s>"]) for i in range(corpus.sentences))
            text.write_text("\n".join(["</s>", *sentences]) + "\n", encoding="utf-8")
            command = [options.peer, "--text", str(text), "--c", str(options.k), "--output_dir", f"{folder}/out"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            peer_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            theirs = average_mutual_information(corpus, WordClasses.read(f"{folder}/out/paths"))
        print(f"brown-cluster  {peer_seconds:8.2f} s  average mutual information {theirs:.5f} nats")
        print(f"ratio          {peer_seconds / seconds:8.1f} x")


if __name__ == "__main__":
    main()
