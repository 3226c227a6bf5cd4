#!/usr/bin/env python3
"""The same model as a PyTorch program on the CPU, and as graphs for ONNX Runtime.

  cpu_rivals.py time THREADS           times PyTorch in f32 and bf16, one JSON line a figure
  cpu_rivals.py export FOLDER          writes FOLDER/f32.onnx and FOLDER/int8.onnx
  cpu_rivals.py onnx FOLDER THREADS    times them, where Python has onnxruntime (else: cpu_rivals.js)

The mathematics is that of bench/gpu_rivals.py (the reference's own), padded batches, random weights.
int8.onnx is what ONNX Runtime's dynamic quantisation makes: u8 rows by tensor, s8 weights by column,
for every product with weights. PyTorch's own int8 is not timed: its linear layers only, slower here.
"""
import json
import os
import pathlib
import sys
import time

import torch

from gpu_rivals import HIDDEN, VOCABULARY, Model

SHAPES = {"1x64": [64], "1x128": [128], "1x512": [512], "16x128": [128] * 16,
          "mixed": [32 * i for i in range(1, 17)]}


def inputs_of(lengths):
    longest = max(lengths)
    ids = torch.randint(0, VOCABULARY, (len(lengths), longest))
    positions = torch.arange(longest).repeat(len(lengths), 1)
    real = torch.tensor(lengths).unsqueeze(-1) > positions
    return ids, positions, (real.unsqueeze(1) & real.unsqueeze(2)).long()


# RIVALS_CPU_TIME=1: CPU time of the process, for one thread on a machine that others use too.
clock = time.process_time if os.environ.get("RIVALS_CPU_TIME") else time.perf_counter


def best_and_median(step, seconds=float(os.environ.get("RIVALS_SECONDS", 6))):
    step()
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        begin = clock()
        step()
        times.append((clock() - begin) * 1e3)
    times.sort()
    return times[0], times[len(times) // 2]


def has_bf16():
    """Whether the processor has it; else PyTorch's takes a minute a step."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "avx512_bf16" in flags or "amx_bf16" in flags


@torch.inference_mode()
def time_torch(threads):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        if name == "bf16" and not has_bf16():
            continue
        model = Model().eval().to(dtype)
        for shape in os.environ.get("RIVALS_SHAPES", " ".join(SHAPES)).split():
            lengths = SHAPES[shape]
            inputs = inputs_of(lengths)
            least, median = best_and_median(lambda: model(*inputs))
            print(json.dumps({"engine": f"PyTorch {torch.__version__} {name}", "shape": shape,
                              "min_ms": round(least, 2), "median_ms": round(median, 2)}), flush=True)


def time_onnx(folder, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    for precision in ("f32", "int8"):
        session = onnxruntime.InferenceSession(str(pathlib.Path(folder) / f"{precision}.onnx"), options,
                                               providers=["CPUExecutionProvider"])
        for shape in os.environ.get("RIVALS_SHAPES", " ".join(SHAPES)).split():
            inputs = dict(zip(("ids", "positions", "mask"), (t.numpy() for t in inputs_of(SHAPES[shape]))))
            least, median = best_and_median(lambda: session.run(None, inputs))
            print(json.dumps({"engine": f"ONNX Runtime {onnxruntime.__version__} {precision}", "shape": shape,
                              "min_ms": round(least, 2), "median_ms": round(median, 2)}), flush=True)


def quantised(graph_file, target):
    """Products with constant weights become DynamicQuantizeLinear + MatMulInteger."""
    import numpy
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(graph_file)
    graph = model.graph
    constants = {c.name: c for c in graph.initializer}
    transposed = {n.output[0]: n.input[0] for n in graph.node
                  if n.op_type == "Transpose" and n.input[0] in constants}
    nodes, count = [], 0
    for node in graph.node:
        weight = node.input[1] if node.op_type == "MatMul" else ""
        turned = weight in transposed
        source = transposed.get(weight, weight)
        values = numpy_helper.to_array(constants[source]) if source in constants else None
        if values is None or values.ndim != 2 or min(values.shape) < 64:
            nodes.append(node)
            continue
        values = values.T if turned else values
        scale = numpy.maximum(numpy.abs(values).max(0), 1e-12) / 127
        name = f"q{count}"
        count += 1
        graph.initializer.extend([
            numpy_helper.from_array(numpy.rint(values / scale).astype(numpy.int8), name + "w"),
            numpy_helper.from_array(scale.astype(numpy.float32), name + "s")])
        nodes.extend([
            helper.make_node("DynamicQuantizeLinear", [node.input[0]], [name + "x", name + "xs", name + "xz"]),
            helper.make_node("MatMulInteger", [name + "x", name + "w", name + "xz"], [name + "i"]),
            helper.make_node("Cast", [name + "i"], [name + "f"], to=onnx.TensorProto.FLOAT),
            helper.make_node("Mul", [name + "xs", name + "s"], [name + "m"]),
            helper.make_node("Mul", [name + "f", name + "m"], list(node.output))])
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    kept = [c for c in graph.initializer if c.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    onnx.save(model, target)
    print(f"int8: {count} products", file=sys.stderr)


def export(folder):
    folder = pathlib.Path(folder)
    torch.manual_seed(1)
    model = Model().eval()
    model.frequencies = model.frequencies.float()
    axes = {0: "batch", 1: "tokens"}
    # The exporter by tracing, where there is a newer one too.
    tracing = {"dynamo": False} if int(torch.__version__.split(".")[0]) >= 2 else {}
    torch.onnx.export(model, inputs_of([64, 48]), str(folder / "f32.onnx"), opset_version=13,
                      input_names=["ids", "positions", "mask"], output_names=["scores"],
                      dynamic_axes={"ids": axes, "positions": axes, "mask": {0: "batch", 1: "tokens", 2: "tokens"}},
                      **tracing)
    quantised(str(folder / "f32.onnx"), str(folder / "int8.onnx"))


if __name__ == "__main__":
    assert HIDDEN == 768
    if sys.argv[1] == "time":
        time_torch(int(sys.argv[2]))
    elif sys.argv[1] == "onnx":
        time_onnx(sys.argv[2], int(sys.argv[3]))
    else:
        export(sys.argv[2])
