"""Threads: errors, interrupts, spans, and how many."""

import os
import subprocess
import sys
import threading

import pytest

from berx_gpu.runtime import threads


def test_ctrl_c_acts_between_two_calls():
    code = """
import threading, _thread, time
from berx_gpu.runtime import threads
done = []
def slow(i):
    time.sleep(0.05)
    done.append(i)
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    threads.run(slow, [(i,) for i in range(400)], 2)
except KeyboardInterrupt:
    print(len(done) < 100)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n", done.stderr


def test_an_error_in_a_thread_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        threads.run(lambda x: 1 / x, [(1,), (0,), (2,)], 2)
    assert threading.active_count() < 10


def test_spans_cover_every_row_once():
    for n in (0, 1, 2, 7, 100):
        for parts in (1, 2, 3):
            spans = threads.spans(n, parts)
            assert [i for a, b in spans for i in range(a, b)] == list(range(n))


def test_threads_default_to_what_the_process_may_use():
    if hasattr(os, "sched_getaffinity"):
        assert threads.available() == len(os.sched_getaffinity(0))
