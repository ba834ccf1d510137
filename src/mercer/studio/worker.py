"""The process of one page, or of one fit: it computes what the server asks for.

``python -m mercer.studio.worker`` reads requests from its standard input, as frames of
`mercer.studio.wire` with their length before them, and writes the answers to its standard output.
It ends at once when the input ends, also in the middle of a computation.
"""

from __future__ import annotations

import json
import os
import queue
import struct
import sys
import threading
import time
from typing import BinaryIO

from mercer.studio.job_limits import limit_memory
from mercer.studio.wire import Message, pack

LENGTH = struct.Struct("<Q")


def main() -> None:
    """Answer requests until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come between the frames
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    from mercer.studio.actions import perform, warm_up

    warm_up()
    limit_memory(int(os.environ.get("MERCER_STUDIO_MEMORY", "0")))
    _send(output, {"ready": True})
    while True:
        request = requests.get()

        def tell(progress: Message, request: Message = request) -> None:
            _send(output, {"id": request.get("id"), "progress": progress})

        start, begun = time.perf_counter(), time.process_time()
        answer = perform(request, tell)
        spent = {
            "seconds": round(time.perf_counter() - start, 4),
            "cpu": round(time.process_time() - begun, 4),
        }
        _send(output, {"id": request.get("id"), **answer, **spent})


def _read(stream: BinaryIO, requests: queue.SimpleQueue[Message]) -> None:
    """Pass requests on; the end of the input ends the process."""
    while True:
        head = stream.read(LENGTH.size)
        if len(head) < LENGTH.size:
            os._exit(0)
        (length,) = LENGTH.unpack(head)
        requests.put(json.loads(stream.read(length)))


def _send(stream: BinaryIO, message: Message) -> None:
    frame = pack(message)
    stream.write(LENGTH.pack(len(frame)))
    stream.write(frame)
    stream.flush()


if __name__ == "__main__":
    main()
