#!/usr/bin/env python3
"""A training step the reference's way, in plain PyTorch: eager, FP16 autocast with a gradient scaler,
padded rows, an int64 index tensor a layer for each position term, the loss over all cells, the
library's AdamW. Prints time, tokens per second and peak memory; `rexuninlu-train measure` prints the
same for this project.

    python3 bench/train_rival.py [--layers 12 --hidden 768 --heads 12 --inner 3072] 16x128 16x512
"""
import argparse
import math
import time

import torch
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, c, heads, inner, drop):
        super().__init__()
        self.h, self.d = heads, c // heads
        self.q, self.k, self.v, self.o = (nn.Linear(c, c) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(c, 1e-7), nn.LayerNorm(c, 1e-7)
        self.i, self.f = nn.Linear(c, inner), nn.Linear(inner, c)
        self.drop = nn.Dropout(drop)

    def heads(self, x):
        return x.view(*x.shape[:2], self.h, self.d).transpose(1, 2)

    def forward(self, x, table, position, visible):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        t = self.drop(table)[None]
        pk, pq = self.heads(self.k(t)), self.heads(self.q(t))
        scale = math.sqrt(3 * self.d)
        relative = position[:, :, None] - position[:, None, :]
        shape = (*q.shape[:3], k.shape[2])
        near = (relative + 256).clamp(0, 511)[:, None].expand(shape).contiguous()
        far = (256 - relative).clamp(0, 511)[:, None].expand(shape).contiguous()
        c2p = torch.gather(q @ pk.transpose(-1, -2), -1, near)
        p2c = torch.gather(k @ pq.transpose(-1, -2), -1, far)
        score = q @ (k / scale).transpose(-1, -2) + (c2p + p2c.transpose(-1, -2)) / scale
        hidden = ~visible[:, None]
        p = torch.softmax(score.masked_fill(hidden, torch.finfo(score.dtype).min), -1)
        p = self.drop(p.masked_fill(hidden, 0.0)).to(v.dtype)
        y = self.n1(self.drop(self.o((p @ v).transpose(1, 2).reshape(x.shape))) + x)
        return self.n2(self.drop(self.f(F.gelu(self.i(y)))) + y)


class Model(nn.Module):
    def __init__(self, layers, c, heads, inner, drop=0.1):
        super().__init__()
        self.word, self.n0 = nn.Embedding(12804, c), nn.LayerNorm(c, 1e-7)
        self.table, self.nt = nn.Parameter(torch.randn(512, c) * 0.02), nn.LayerNorm(c, 1e-7)
        self.layers = nn.ModuleList(Layer(c, heads, inner, drop) for _ in range(layers))
        self.conv, self.nc = nn.Conv1d(c, c, 3, padding=1), nn.LayerNorm(c, 1e-7)
        self.fq, self.fk, self.drop = nn.Linear(c, c), nn.Linear(c, c), nn.Dropout(drop)
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding, nn.Conv1d)):
                nn.init.normal_(m.weight, 0, 0.02)
                if getattr(m, "bias", None) is not None:
                    nn.init.zeros_(m.bias)
        self.register_buffer("freqs", 10000.0 ** (-2.0 * torch.arange(c // 2) / c))

    def turn(self, v, position):
        angle = position[..., None].float() * self.freqs
        a, b = v.float().unflatten(-1, (-1, 2)).unbind(-1)
        turned = (a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin())
        return torch.stack(turned, -1).flatten(-2)

    def forward(self, ids, position, visible):
        x0 = self.drop(self.n0(self.word(ids)))
        table, x = self.nt(self.table), x0
        for i, layer in enumerate(self.layers):
            x = layer(x, table, position, visible)
            if i == 0:
                c = self.conv(x0.transpose(1, 2)).transpose(1, 2)
                x = self.nc(x + F.gelu(self.drop(c)))
        return self.turn(self.fq(x), position) @ self.turn(self.fk(x), position).transpose(1, 2)


def loss_of(z, y):
    z, y = z.float().flatten(1), y.flatten(1)
    z = (1 - 2 * y) * z
    zero = torch.zeros_like(z[:, :1])
    negative = torch.logsumexp(torch.cat([z - y * 1e12, zero], 1), 1)
    positive = torch.logsumexp(torch.cat([z - (1 - y) * 1e12, zero], 1), 1)
    return (negative + positive).mean()


def batch(rows, n, device):
    ids = torch.randint(300, 7000, (rows, n), device=device)
    hint = torch.tensor([0, 1] + [2, 3, 4, 5, 6] * 4, device=device)
    position = torch.cat([hint, torch.arange(7, 7 + n - 22, device=device)])
    kind = torch.zeros(n, dtype=torch.long, device=device)
    kind[2:22] = torch.arange(20, device=device) // 5 + 1
    visible = (kind[:, None] == 0) | (kind[None] == 0) | (kind[:, None] == kind[None])
    y = torch.zeros(rows, n, n, device=device)
    y[:, 26, 28] = y[:, 26, 2] = y[:, 2, 28] = 1
    return ids, position.expand(rows, n).contiguous(), visible.expand(rows, n, n).contiguous(), y


def main():
    p = argparse.ArgumentParser()
    for name, value in (("layers", 12), ("hidden", 768), ("heads", 12), ("inner", 3072), ("repeats", 20)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("shapes", nargs="+")
    a = p.parse_args()
    gpu = torch.cuda.is_available()
    device = "cuda" if gpu else "cpu"
    torch.manual_seed(7)
    model = Model(a.layers, a.hidden, a.heads, a.inner).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.01)
    scaler = torch.amp.GradScaler(device, enabled=gpu)
    print(f"plain PyTorch {torch.__version__}, {device}, {a.layers} layers, hidden {a.hidden}")
    for shape in a.shapes:
        rows, n = map(int, shape.split("x"))
        ids, position, visible, y = batch(rows, n, device)

        def step():
            with torch.autocast(device, torch.float16 if gpu else torch.bfloat16, enabled=gpu):
                loss = loss_of(model(ids, position, visible), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()

        for _ in range(3):
            step()
        if gpu:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        for _ in range(a.repeats):
            step()
        if gpu:
            torch.cuda.synchronize()
        ms = (time.perf_counter() - start) / a.repeats * 1000
        peak = torch.cuda.max_memory_allocated() / 1e6 if gpu else 0
        print(f"{shape:12s} {ms:10.2f} ms/step {rows * n / ms * 1000:12.0f} tokens/s {peak:12.1f} MB", flush=True)


if __name__ == "__main__":
    main()
