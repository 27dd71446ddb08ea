"""Workloads are made from a seed and nothing else."""

from collections import Counter
from random import Random

from goldfish.history import find_tag
from goldfish.stress.workload import Workload

MIX = {"add": 5, "read": 3, "last": 1, "trim": 1, "clear": 1}


def test_one_seed_makes_one_plan() -> None:
    """The same seed asks the same, another seed something else."""
    workload = Workload(mix=MIX)
    assert workload.plan(Random(1)) == workload.plan(Random(1))
    assert workload.plan(Random(1)) != workload.plan(Random(2))


def test_a_plan_has_the_size_that_was_asked_for() -> None:
    """All processes, pods, sessions and actions take part."""
    plan = Workload(pods=3, processes=4, sessions=5, operations=400, mix=MIX).plan(Random(1))
    assert len(plan) == 400
    assert Counter(each.process for each in plan) == dict.fromkeys(["w1", "w2", "w3", "w4"], 100)
    assert {each.pod for each in plan} == {0, 1, 2}
    assert {each.session for each in plan} == {"s1", "s2", "s3", "s4", "s5"}
    assert {each.action for each in plan} == set(MIX)


def test_contents_say_who_wrote_them_and_are_unique() -> None:
    """No two messages are alike, also in a second plan that goes on counting."""
    workload = Workload(operations=100)
    plans = workload.plan(Random(1)) + workload.plan(Random(2), first=101, prefix="t")
    contents = [
        each for operation in plans if operation.action == "add" for each in operation.value
    ]
    assert len(set(contents)) == len(set(map(find_tag, contents))) == len(contents)
    for operation in plans:
        if operation.action == "add":
            assert all(f"by {operation.process}" in content for content in operation.value)


def test_smaller_workloads_are_smaller_in_one_way_until_there_is_none() -> None:
    """Following them ends with one process that makes one call."""
    workload = Workload(pods=3, processes=6, sessions=4, operations=48)
    while smaller := next(workload.smaller(), None):
        names = ("pods", "processes", "sessions", "operations")
        assert sum(getattr(smaller, n) != getattr(workload, n) for n in names) == 1
        workload = smaller
    assert str(workload) == "1 pod, 1 caller, 1 session, 1 call"


def test_a_workload_within_one_process_stays_there() -> None:
    """Nothing smaller has more pods."""
    assert {each.pods for each in Workload(pods=0).smaller()} == {0}
    assert str(Workload(pods=0)).startswith("one process")
