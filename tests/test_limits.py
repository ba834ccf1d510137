"""The memory that a process may use: the machine's, its control groups', its address space."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mercer import limits

GROUPS = {
    "version 2": ("0::/user/job\n", {"user/job/memory.max": "3000000000"}),
    "version 2, a group above": (
        "0::/user/job\n",
        {"user/job/memory.max": "max", "user/memory.max": "3000000000"},
    ),
    "version 2, in a container": ("0::/\n", {"memory.max": "3000000000\n"}),
    "version 2, a path beside the root": ("0::/../other\n", {"memory.max": "3000000000\n"}),
    "version 1": (
        "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n",
        {"memory/docker/abc/memory.limit_in_bytes": "3000000000"},
    ),
    "version 1, in a container": (
        "4:memory:/docker/abc\n0::/\n",
        {"memory/memory.limit_in_bytes": "3000000000"},
    ),
}


@pytest.mark.parametrize("case", GROUPS)
def test_limits_of_control_groups_are_found(case, tmp_path, monkeypatch):
    membership, files = GROUPS[case]
    (tmp_path / "cgroup").write_text(membership)
    for name, text in files.items():
        path = tmp_path / "fs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(limits, "_MEMBERSHIP", str(tmp_path / "cgroup"))
    monkeypatch.setattr(limits, "_CGROUPS", str(tmp_path / "fs"))
    monkeypatch.setattr(limits, "_physical_memory", lambda: iter([10**12]))
    monkeypatch.setattr(limits, "_address_space", lambda: iter([]))
    assert limits.available_memory() == 3_000_000_000


def test_without_any_limit_it_is_the_physical_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "_MEMBERSHIP", str(tmp_path / "none"))
    monkeypatch.setattr(limits, "_address_space", lambda: iter([]))
    monkeypatch.setattr(limits, "_physical_memory", lambda: iter([10**12]))
    assert limits.available_memory() == 10**12
    monkeypatch.setattr(limits, "_physical_memory", lambda: iter([]))
    assert limits.available_memory() == limits._UNKNOWN
    monkeypatch.setattr(limits, "_physical_memory", lambda: iter([-5]))
    assert limits.available_memory() == limits._LEAST


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS and /proc")
def test_the_default_budget_knows_the_limit_of_the_address_space():
    program = """
import resource
import mercer
resource.setrlimit(resource.RLIMIT_AS, (6 * 10**9, resource.RLIM_INFINITY))
print(mercer.get_config().memory_budget)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300
    )
    assert 10**9 < int(done.stdout) < 3 * 10**9
