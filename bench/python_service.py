#!/usr/bin/env python3
"""A plain Python service of the kind that people run today, to measure against.

One thread a request, one PyTorch forward per prompt under a lock (the reference handles one prompt
at a time), eager, batch 1, the whole score matrix fetched and decoded with NumPy. The model is that
of gpu_rivals.py: the official size, random weights. POST /api/ner with {"text", "labels"}.

    bench/python_service.py --port 17861 [--device cpu|cuda] [--half] [--threshold P]
"""
import argparse
import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy
import torch

import gpu_rivals


class Service:
    def __init__(self, device, half, threshold):
        torch.manual_seed(1)
        self.device = device
        self.limit = math.log(threshold / (1 - threshold))
        self.model = gpu_rivals.Model().to(device).eval()
        if half:
            self.model.half()
        self.lock = threading.Lock()

    @torch.no_grad()
    def scores(self, ids, positions, mask):
        to = lambda rows: torch.tensor(rows, device=self.device).unsqueeze(0)
        z = self.model(to(ids), to(positions), to(mask))[0].float()
        return z.cpu().numpy()

    def entities(self, text, labels):
        """One prompt: [CLS] [P] entity ([T] label)* [SEP] text [SEP], a character a token."""
        ids, positions, types = [1, 5], [0, 1], []
        for label in labels:
            types.append(len(ids))
            ids += [6] + [ord(c) % 10000 + 100 for c in label]
            positions += range(2, 3 + len(label))
        ids.append(2)
        positions.append(max(positions) + 1)
        start = len(ids)
        ids += [ord(c) % 10000 + 100 for c in text] + [2]
        positions += range(positions[-1] + 1, positions[-1] + 2 + len(text))
        n = len(ids)
        mask = numpy.ones((n, n), dtype=numpy.int64)
        bounds = types + [start - 1]
        for k, begin in enumerate(types):  # labels do not see each other
            for m, other in enumerate(types):
                if k != m:
                    mask[begin:bounds[k + 1], other:bounds[m + 1]] = 0
        with self.lock:
            z = self.scores(ids, positions, mask.tolist())
        links = z > self.limit
        found = []
        for label, t in zip(labels, types):
            heads = numpy.flatnonzero(links[start:-1, t]) + start
            tails = numpy.flatnonzero(links[t, start:-1]) + start
            for h in heads[:64]:
                for e in tails[tails >= h][:64]:
                    if links[h, e]:
                        found.append({"type": label, "span": text[h - start:e - start + 1],
                                      "offset": [int(h - start), int(e - start + 1)]})
        return [[item] for item in found[:256]]


def make_handler(service):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one write an answer, and none waits for an acknowledgement
        disable_nagle_algorithm = True

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps({"output": service.entities(request["text"], request["labels"])},
                                ensure_ascii=False).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    return Handler


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=17861)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--half", action="store_true", help="FP16 weights")
    parser.add_argument("--threshold", type=float, default=0.5, help="of every link")
    options = parser.parse_args()
    service = Service(options.device, options.half, options.threshold)
    service.entities("周慧敏在武汉出任董事长。", ["人物", "组织机构"])  # warm
    server = ThreadingHTTPServer(("127.0.0.1", options.port), make_handler(service))
    server.request_queue_size = 256
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
