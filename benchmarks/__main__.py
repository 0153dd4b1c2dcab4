"""Run all benchmarks and print what they measured beside the bars."""

from __future__ import annotations

from benchmarks.agents import bench_agents
from benchmarks.classes import bench_class_sizes
from benchmarks.dashboard import bench_dashboard
from benchmarks.groups import bench_groups
from benchmarks.learners import bench_learners
from benchmarks.lessons import bench_lesson
from benchmarks.llm import bench_llm
from benchmarks.memory import bench_memory
from benchmarks.rounds import bench_rounds
from benchmarks.sweeps import bench_sweeps

if __name__ == "__main__":
    for bench in (
        bench_lesson,
        bench_class_sizes,
        bench_llm,
        bench_rounds,
        bench_agents,
        bench_dashboard,
        bench_memory,
        bench_sweeps,
        bench_learners,
        bench_groups,
    ):
        for line in bench():
            print(line, flush=True)
        print(flush=True)
