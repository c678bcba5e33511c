"""Train the recall model of companion.models under every schedule and write what it can answer.

    python tools/train_recall.py [SEEDS]

One thread, fixed seeds: the same machine and the same torch give the same file. It takes about ten minutes
on one core for 5 seeds and prints the accuracy of each run on the way.
"""

import json
import sys

import numpy as np
import torch

from companion.models.recall import (
    BATCH,
    FILE,
    LENGTH,
    RATE,
    ROUTES,
    SCHEDULES,
    STEPS,
    TESTED,
    WIDTH,
    accuracy,
    hits,
    routes,
    tested,
    train,
)
from companion.patterns import sliding_window



def run(schedule, seed, sample):
    """Accuracy of one trained model by distance and by route; and with its layer 0 cut down to a window of 2,
    which shows what the rest of that layer had been used for."""
    weights = train(schedule, seed)
    hit = hits(weights, schedule, sample)
    group = routes(schedule, sample)
    narrowed = hits(weights, (sliding_window(2), schedule[1]), sample)
    return {
        "distance": rounded(accuracy(hit, sample.distance.numpy(), LENGTH)),
        "route": rounded(accuracy(hit, group, len(ROUTES))),
        "narrowed": rounded(accuracy(narrowed, group, len(ROUTES))),
    }


def rounded(x):
    """Four digits are enough; JSON has no NaN."""
    return np.where(np.isnan(x), None, np.round(x, 4)).tolist()


def main(seeds):
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    sample = tested()
    found = {}
    for name, schedule in SCHEDULES.items():
        count = np.bincount(routes(schedule, sample).ravel(), minlength=len(ROUTES))
        found[name] = {"questions": count.tolist(), "runs": []}
    for seed in range(seeds):
        for name, schedule in SCHEDULES.items():
            found[name]["runs"].append(run(schedule, seed, sample))
            print(f"seed {seed}, {name}: {found[name]['runs'][-1]['route']}", flush=True)
    report = {
        "settings": {"width": WIDTH, "steps": STEPS, "batch": BATCH, "rate": RATE, "texts": TESTED},
        "questions": np.bincount(sample.distance.flatten(), minlength=LENGTH).tolist(),
        "schedules": found,
    }
    FILE.write_text(json.dumps(report, separators=(",", ":")).replace('{"distance"', '\n{"distance"') + "\n")
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
