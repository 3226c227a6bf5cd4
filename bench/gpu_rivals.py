#!/usr/bin/env python3
"""The same model in PyTorch, as people run it today, on the shapes of rex_gpu_check.

The mathematics is that of the reference (DeBERTa-v2 encoder with relative positions from position
ids, convolution after layer 0, rotary pointer head), padded batches, random weights. Columns:
  fp32        eager
  fp16        eager, weights in half precision
  graph       fp16 in a captured CUDA graph
  compiled    fp16 through torch.compile (only with --compile: it takes half a minute a shape)
  hf fp16     transformers' DebertaV2Model of the same size, if installed (encoder only)
Medians of CUDA event timings. Floors: see docs/benchmarks.md.
"""
import argparse
import math

import torch
from torch import nn

HIDDEN, LAYERS, HEADS, INNER, VOCABULARY, SPAN = 768, 12, 12, 3072, 12804, 256
WIDTH = HIDDEN // HEADS
MIXED = [394, 184, 281, 163, 472, 488, 288, 309, 179, 234, 395, 201, 170, 437, 151, 454]
SHAPES = {"1x64": [64], "1x128": [128], "1x512": [512], "16x128": [128] * 16,
          "16x512": [512] * 16, "64x128": [128] * 64, "mixed": MIXED}


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.inner, self.outer = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.norm_attention = nn.LayerNorm(HIDDEN, 1e-7)
        self.norm_output = nn.LayerNorm(HIDDEN, 1e-7)

    @staticmethod
    def heads(x):
        return x.view(*x.shape[:-1], HEADS, WIDTH).transpose(-3, -2)

    def forward(self, x, table, index, mask):
        scale = 1 / math.sqrt(WIDTH * 3)
        q, k, v = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        place_key, place_query = self.heads(self.key(table)), self.heads(self.query(table))
        scores = q @ (k * scale).transpose(-1, -2)
        wide = index.unsqueeze(1).expand(-1, HEADS, -1, -1)
        scores = scores + torch.gather(q @ place_key.transpose(-1, -2), -1, wide) * scale
        turned = torch.gather(k @ place_query.transpose(-1, -2), -1, wide.transpose(-1, -2))
        scores = scores + turned.transpose(-1, -2) * scale
        hidden = mask.unsqueeze(1) == 0
        weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(-1)
        context = (weights.masked_fill(hidden, 0) @ v).transpose(1, 2).flatten(2)
        x = self.norm_attention(self.out(context) + x)
        return self.norm_output(self.outer(nn.functional.gelu(self.inner(x))) + x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, HIDDEN)
        self.places = nn.Parameter(torch.randn(2 * SPAN, HIDDEN) * 0.02)
        self.norm_words, self.norm_places, self.norm_conv = (nn.LayerNorm(HIDDEN, 1e-7) for _ in range(3))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.conv = nn.Conv1d(HIDDEN, HIDDEN, 3, padding=1)
        self.head_query, self.head_key = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        angles = 10000 ** (-torch.arange(0, HIDDEN, 2) / HIDDEN)
        self.register_buffer("frequencies", angles)

    def rotate(self, x, positions):
        angle = positions.unsqueeze(-1).float() * self.frequencies.float()
        cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * cosine - odd * sine, odd * cosine + even * sine), -1).flatten(-2)

    def forward(self, ids, positions, mask):
        distance = positions.unsqueeze(-1) - positions.unsqueeze(-2)
        index = (distance + SPAN).clamp(0, 2 * SPAN - 1)
        table = self.norm_places(self.places)
        words = self.norm_words(self.words(ids))
        x = words
        for number, layer in enumerate(self.layers):
            x = layer(x, table, index, mask)
            if number == 0:
                conv = nn.functional.gelu(self.conv(words.transpose(1, 2)).transpose(1, 2))
                x = self.norm_conv(x + conv)
        q = self.rotate(self.head_query(x), positions)
        k = self.rotate(self.head_key(x), positions)
        return q @ k.transpose(-1, -2)


def inputs_of(lengths):
    longest, batch = max(lengths), len(lengths)
    ids = torch.randint(0, VOCABULARY, (batch, longest), device="cuda")
    positions = torch.arange(longest, device="cuda").repeat(batch, 1)
    real = torch.tensor(lengths, device="cuda").unsqueeze(-1) > positions
    mask = (real.unsqueeze(1) & real.unsqueeze(2)).long()
    return ids, positions, mask


def median_ms(step, repeats=12):
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        step()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


@torch.inference_mode()
def graph_ms(model, inputs):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            model(*inputs)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(*inputs)
    return median_ms(graph.replay)


@torch.inference_mode()
def eager_ms(model, inputs):
    return median_ms(lambda: torch.where(model(*inputs) > 0))


@torch.inference_mode()
def compiled_ms(model, inputs):
    torch._dynamo.reset()
    faster = torch.compile(model, mode="reduce-overhead")
    return median_ms(lambda: faster(*inputs))


def hugging_face():
    try:
        from transformers import DebertaV2Config, DebertaV2Model
    except ImportError:
        return None
    config = DebertaV2Config(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        intermediate_size=INNER, relative_attention=True, position_buckets=SPAN, share_att_key=True,
        norm_rel_ebd="layer_norm", pos_att_type=["p2c", "c2p"], conv_kernel_size=3, conv_act="gelu",
        position_biased_input=False, type_vocab_size=0, max_position_embeddings=512)
    return DebertaV2Model(config).cuda().half().eval()


def peak_mib(model, inputs):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    with torch.inference_mode():
        torch.where(model(*inputs) > 0)
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() / 2**20


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--compile", nargs="*", default=None, metavar="SHAPE",
                           help="shapes to measure through torch.compile too (none named: all)")
    arguments = arguments.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    model = Model().cuda().eval()
    rows = {name: {} for name in SHAPES}
    for name, lengths in SHAPES.items():
        rows[name]["fp32"] = eager_ms(model, inputs_of(lengths))
    memory = {"fp32": peak_mib(model, inputs_of(SHAPES["16x512"]))}
    model = model.half()
    for name, lengths in SHAPES.items():
        rows[name]["fp16"] = eager_ms(model, inputs_of(lengths))
    memory["fp16"] = peak_mib(model, inputs_of(SHAPES["16x512"]))
    for name, lengths in SHAPES.items():
        rows[name]["graph"] = graph_ms(model, inputs_of(lengths))
    if arguments.compile is not None:
        for name in arguments.compile or SHAPES:
            rows[name]["compiled"] = compiled_ms(model, inputs_of(SHAPES[name]))
    rival = hugging_face()
    if rival is not None:
        for name, lengths in SHAPES.items():
            ids, positions, _ = inputs_of(lengths)
            real = (torch.tensor(lengths, device="cuda").unsqueeze(-1) > positions).long()
            with torch.inference_mode():
                rows[name]["hf fp16"] = median_ms(lambda: rival(ids, attention_mask=real))
    columns = ["fp32", "fp16", "graph", "compiled", "hf fp16"]
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}; ms")
    print("shape   " + "".join(f"{c:>10}" for c in columns))
    for name, row in rows.items():
        print(f"{name:8}" + "".join(f"{row[c]:10.3f}" if c in row else f"{'-':>10}" for c in columns))
    print("peak of PyTorch's allocator at 16x512: "
          + ", ".join(f"{name} {mib:.0f} MiB" for name, mib in memory.items()))


if __name__ == "__main__":
    main()
