"""Tables of the outcomes, in Markdown and as JSON."""

import dataclasses
import json
import statistics

import numpy as np

from tasks import Entry, Task


@dataclasses.dataclass
class Outcome:
    """What an entry of a task came to."""

    entry: Entry
    items: int
    seconds: list[float] = dataclasses.field(default_factory=list)
    failure: str = ""
    agreement: str = ""
    agrees: bool = True

    @property
    def nanoseconds(self) -> float:
        """The least time per item over the rounds."""
        return 1e9 * min(self.seconds) / self.items


def figure(number: float) -> str:
    """Three significant digits, two below one."""
    if number < 1:
        return f"{number:.2g}"
    if number >= 100:
        return grouped(round(number, 2 - int(np.floor(np.log10(number)))))
    return f"{number:.{1 if number >= 10 else 2}f}"


def grouped(number: float) -> str:
    """A whole number in groups of three digits."""
    return f"{number:,.0f}".replace(",", " ")


def table(task: Task, outcomes: list[Outcome]) -> str:
    """A task's table in Markdown."""
    floor, fathom = outcomes[0], outcomes[1]
    lines = [
        f"### {task.title}", "", task.description, "",
        f"| implementation | ns per {task.item} | time / reference | time / Fathom | items | "
        "results |",
        "|---|---:|---:|---:|---:|---|",
    ]
    timed = sorted((o for o in outcomes if o.seconds and not o.failure),
                   key=lambda o: o.nanoseconds)
    for outcome in timed:
        label = outcome.entry.label
        label = f"**{label}**" if label.startswith("Fathom") else label
        to_floor = "1" if outcome is floor else "-"
        if outcome is not floor and floor in timed:
            to_floor = figure(outcome.nanoseconds / floor.nanoseconds)
        to_fathom = "" if outcome is fathom else "-"
        if outcome is not fathom and fathom in timed:
            to_fathom = figure(outcome.nanoseconds / fathom.nanoseconds)
        lines.append(f"| {label} | {figure(outcome.nanoseconds)} | {to_floor} | {to_fathom} | "
                     f"{grouped(outcome.items)} | {outcome.agreement} |")
    for outcome in outcomes:
        if outcome.failure:
            lines.append(f"| {outcome.entry.label} | - | - | - | - | {outcome.failure} |")
    return "\n".join(lines) + "\n"


READING = """\
Each row is one implementation of the same task on the same numbers, with one thread on one core unless
it says otherwise. The time is the processor time of the process, the least of {rounds} rounds in which
the implementations take turns; rows with two threads have wall-clock time.

- **time / reference**: the time of the row over that of the task's reference, a plain C++ loop in most
  tasks.
- **time / Fathom**: the time of the row over that of Fathom's first row. Below 1, Fathom is slower.
- **results**: a comparison with the results of the reference, over the items that both processed.

Differences below 10 % are noise: the median round was {spread:.0f} % above the least, in the median over
the rows.
"""


def report(results: list[tuple[Task, list[Outcome]]], found: dict[str, str], rounds: int) -> str:
    """The whole page in Markdown."""
    spreads = [100 * (statistics.median(o.seconds) / min(o.seconds) - 1)
               for _, outcomes in results for o in outcomes if o.seconds and not o.failure]
    spread = statistics.median(spreads) if spreads else 0
    parts = [
        "# Fathom beside its peers\n",
        "Written by `Benchmarks/peers/run`; see [README.md](README.md) for how it measures.\n",
        READING.format(rounds=rounds, spread=spread),
        "## Ratios\n",
        *(table(task, outcomes) for task, outcomes in results),
        "## Conditions\n",
        "| | |\n|---|---|\n" + "".join(f"| {key} | {value} |\n" for key, value in found.items()),
    ]
    return "\n".join(parts)


def as_json(results: list[tuple[Task, list[Outcome]]], found: dict[str, str]) -> str:
    """The same for programs; a failed entry has its reason in place of figures."""
    entries = []
    for task, outcomes in results:
        floor, fathom = outcomes[0], outcomes[1]
        for outcome in outcomes:
            row = {"task": task.name, "implementation": outcome.entry.label,
                   "items": outcome.items}
            if outcome.failure:
                row["failure"] = outcome.failure
            else:
                row |= {
                    "ns_per_item": outcome.nanoseconds,
                    "times_floor": None if floor.failure
                    else outcome.nanoseconds / floor.nanoseconds,
                    "fathom_faster_by": None if fathom.failure
                    else outcome.nanoseconds / fathom.nanoseconds,
                    "results": outcome.agreement,
                    "agrees": outcome.agrees,
                }
            entries.append(row)
    return json.dumps({"conditions": found, "results": entries}, indent=2) + "\n"
