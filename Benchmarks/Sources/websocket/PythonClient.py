"""The client of Python's `websockets`; it has the same protocol on its standard input and output as the others."""

import asyncio
import resource
import sys
import time

from websockets.asyncio.client import connect


async def echo(origin, size, in_flight, compresses, seconds):
    payload = (b'{"type":"trade","symbol":"BTC-USD","price":64213.55,"size":0.0125,"side":"buy","sequence":81723},' * (size // 90 + 1))[:size]
    path, compression = ("/deflate", "deflate") if compresses else ("/echo", None)
    # The messages that are still under way delay the close frame.
    async with connect(origin + path, compression=compression, max_size=None, close_timeout=0) as socket:
        end = time.monotonic() + seconds
        for _ in range(in_flight):
            await socket.send(payload)
        count = 0
        async for _ in socket:
            if time.monotonic() >= end:
                break
            count += 1
            await socket.send(payload)
        return count, time.monotonic()


async def hold(origin, count):
    async def open_one():
        return await connect(origin + "/echo", compression=None, ping_interval=30, max_size=None)

    first = await open_one()
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.readline)
    sockets = []
    while len(sockets) < count:
        sockets += await asyncio.gather(*(open_one() for _ in range(min(64, count - len(sockets)))))
    print("open", flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print("used", processor_microseconds(), flush=True)
    del first


def processor_microseconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def main():
    workload, port, *numbers = sys.argv[1:]
    origin = f"ws://127.0.0.1:{port}"
    if workload == "hold":
        asyncio.run(hold(origin, int(numbers[0])))
        return
    size, in_flight, compresses, seconds = int(numbers[0]), int(numbers[1]), numbers[2] == "true", float(numbers[3])
    asyncio.run(echo(origin, size, in_flight, compresses, seconds / 10))
    processor, begin = processor_microseconds(), time.monotonic()
    count, end = asyncio.run(echo(origin, size, in_flight, compresses, seconds))
    print("echoed", count, end - begin, processor_microseconds() - processor, flush=True)


main()
