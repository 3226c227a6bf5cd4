#!/usr/bin/env python3
"""The published articles' mixed load on a running service, at a fixed rate.

60 % entities, 30 % classes, 10 % relations, texts of 12 to 400 characters; requests leave on time
whether or not earlier ones were answered. Needs nothing but Python 3.

    bench/mixed_load.py --port 7860 --rate 3 --seconds 600
    bench/mixed_load.py --port 7860 --rate 1000 --seconds 120 --recovery

Prints one Markdown table: what was answered how, latency percentiles of the good answers, and the
memory of the service (its own /metrics; nvidia-smi where it exists) after a tenth of the time and
at the end. Ends with 1 when memory grew by more than 1 % or an answer was neither good nor a 429 or
503 with Retry-After.
"""
import argparse
import asyncio
import collections
import json
import random
import shutil
import subprocess
import time

SENTENCES = [
    "周慧敏在武汉出任远航芯片有限公司董事长。", "公司计划于2024年3月投资十二亿元建设新的生产线。",
    "李明毕业于清华大学，现任北京分公司经理。", "这家餐厅的服务很好，但是上菜太慢了。",
    "双方签订的合同自2023年1月1日起生效。", "昨天上海队在主场以三比一战胜了广州队。",
    "手机屏幕清晰，电池续航一般，拍照效果令人满意。", "患者自述头痛三天，伴有轻微发热。",
]


THRESHOLD = None  # of --threshold


def body(kind, random_source):
    path, payload = plain_body(kind, random_source)
    if THRESHOLD is not None:
        payload["options"] = {"threshold": THRESHOLD}
    return path, payload


def plain_body(kind, random_source):
    count = random_source.choice([1, 1, 1, 2, 3, 6, 16])
    text = "".join(random_source.choice(SENTENCES) for _ in range(count))
    text += str(random_source.randrange(10**6))  # equal requests in flight would be computed once
    if kind == "ner":
        return "/api/ner", {"text": text, "labels": ["人物", "地理位置", "组织机构", "时间", "职务"]}
    if kind == "classification":
        return "/api/classification", {"text": text, "labels": ["财经", "体育", "娱乐", "科技", "健康"]}
    return "/api/relation", {"text": text, "schema": {"人物": {"毕业院校": None, "任职机构": None},
                                                       "组织机构": {"所在地": None}}}


class Connections:
    """Idle keep-alive connections."""

    def __init__(self, host, port):
        self.host, self.port, self.idle = host, port, []

    async def post(self, path, payload):
        data = json.dumps(payload, ensure_ascii=False).encode()
        request = (f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
                   f"Content-Length: {len(data)}\r\n\r\n").encode() + data
        return await self.exchange(request)

    async def get(self, path):
        return await self.exchange(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())

    async def exchange(self, request):
        while True:
            kept = bool(self.idle)
            pair = self.idle.pop() if kept else await asyncio.open_connection(self.host, self.port)
            reader, writer = pair
            writer.write(request)
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                break
            except (asyncio.IncompleteReadError, ConnectionResetError) as error:
                # The server ended an idle connection just now; any client asks again then.
                if not kept or getattr(error, "partial", b""):
                    raise
        lines = head.split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            writer.close()
        else:
            self.idle.append(pair)
        return int(lines[0].split()[1]), headers, content


def device_mib():
    if shutil.which("nvidia-smi") is None:
        return None
    out = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                         capture_output=True, text=True, check=False).stdout.split()
    return int(out[0]) if out else None


async def memory(connections):
    _, _, text = await connections.get("/metrics")
    for line in text.decode().splitlines():
        if line.startswith("process_resident_memory_bytes"):
            return float(line.split()[-1]) / 2**20, device_mib()
    return 0.0, device_mib()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--rate", type=float, default=3, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--recovery", action="store_true", help="after it, time single requests for a second")
    parser.add_argument("--threshold", type=float, help="of every request; near 1 a model of random "
                        "weights finds as little as a trained one")
    options = parser.parse_args()
    global THRESHOLD
    THRESHOLD = options.threshold
    source = random.Random(1)
    connections = Connections(options.host, options.port)
    answers, latencies, wrong = collections.Counter(), [], []

    async def one(path, payload):
        begin = time.perf_counter()
        try:
            status, headers, content = await connections.post(path, payload)
        except (OSError, asyncio.IncompleteReadError) as error:
            answers[type(error).__name__] += 1
            wrong.append(str(error))
            return
        answers[status] += 1
        if status == 200:
            latencies.append(time.perf_counter() - begin)
        elif status not in (429, 503) or "retry-after" not in headers:
            wrong.append(content.decode())

    total = int(options.rate * options.seconds)
    kinds = [source.choices(["ner", "classification", "relation"], [60, 30, 10])[0] for _ in range(total)]
    running, early = set(), None
    begin = time.perf_counter()
    for i, kind in enumerate(kinds):
        wait = begin + i / options.rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        task = asyncio.ensure_future(one(*body(kind, source)))
        running.add(task)
        task.add_done_callback(running.discard)
        if i == total // 10:
            early = await memory(connections)
    sent_in = time.perf_counter() - begin
    if running:
        await asyncio.wait(running)
    late = await memory(connections)

    latencies.sort()
    at = lambda q: latencies[min(len(latencies) - 1, int(q * len(latencies)))] * 1000 if latencies else float("nan")
    print("| requests/s sent | seconds | answers | p50 ms | p90 ms | p99 ms | resident MiB | device MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    print(f"| {total / sent_in:.1f} | {sent_in:.0f} | "
          + ", ".join(f"{n} × {status}" for status, n in sorted(answers.items(), key=str))
          + f" | {at(.5):.1f} | {at(.9):.1f} | {at(.99):.1f} | {early[0]:.1f} → {late[0]:.1f}"
          + f" | {early[1]} → {late[1]} |", flush=True)
    if options.recovery:
        times = []
        end = time.perf_counter() + 1
        while time.perf_counter() < end:
            start = time.perf_counter()
            status, _, _ = await connections.post(*body("ner", source))
            times.append((status, (time.perf_counter() - start) * 1000))
        slowest = max(t for _, t in times)
        print(f"after it: {len(times)} single requests in a second, all 200: "
              f"{all(s == 200 for s, _ in times)}, slowest {slowest:.1f} ms")
    grew = late[0] > early[0] * 1.01 or (early[1] is not None and late[1] > early[1] * 1.01)
    for text in wrong[:3]:
        print("wrong:", text)
    if grew:
        print("memory grew by more than 1 %")
    return 1 if grew or wrong else 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
