// Readings of the server's metrics, one every two seconds, the last two minutes kept.
import { useEffect, useRef, useState } from 'react';
import { getJson, getText } from '../api/client';
import { ApiError } from '../api/errors';
import {
  byLabel,
  histogramOf,
  parseMetrics,
  quantile,
  type Sample,
  since,
  sumOf,
} from '../api/metrics';

export interface Reading {
  time: number;
  samples: Sample[];
}

export interface Figures {
  requests: number;
  failed: number;
  rate: number | null;
  tokenRate: number | null;
  latency: { p50: number | null; p95: number | null; p99: number | null; mean: number | null };
  batch: number | null;
  queue: number;
  inflight: number;
  uptime: number | null;
  memory: [string, number][];
  byStatus: [string, number][];
  byTask: [string, number][];
  phases: [string, number][];
}

const PHASES = ['queue', 'tokenize', 'infer', 'decode'] as const;

/** Figures of the time between two readings, or since the start of the server without a first one. */
export function figuresOf(now: Reading, before: Reading | null): Figures {
  // Only requests that run the model: this page's own readings would drown them.
  const asked = (all: readonly Sample[]) =>
    all.filter((s) => s.name !== 'rex_requests_total' || s.labels.task !== '');
  const samples = asked(now.samples);
  const old = asked(before?.samples ?? []);
  const seconds = before ? (now.time - before.time) / 1000 : 0;
  const rate = (name: string) => {
    if (!before || seconds <= 0) return null;
    return Math.max(0, (sumOf(samples, name) - sumOf(old, name)) / seconds);
  };
  const recent = (name: string) => {
    const all = histogramOf(samples, name);
    const part = since(all, histogramOf(old, name));
    // Quiet for a while: the figures since the start say more than none.
    return part.count > 0 ? part : all;
  };
  const latency = recent('rex_request_duration_seconds');
  const sizes = recent('rex_batch_size');
  const ms = (q: number) => {
    const value = quantile(latency, q);
    return value === null ? null : value * 1000;
  };
  const byStatus = byLabel(samples, 'rex_requests_total', 'status');
  const resident = sumOf(samples, 'process_resident_memory_bytes');
  const memory = byLabel(samples, 'rex_memory_bytes', 'kind')
    // A budget is a limit, not memory in use; beside it the rest could not be seen.
    .filter(([kind]) => !kind.endsWith('budget'))
    .concat(resident > 0 ? [['resident', resident]] : [])
    .sort((a, b) => b[1] - a[1]);
  return {
    requests: sumOf(samples, 'rex_requests_total'),
    failed: byStatus.filter(([status]) => /^[45]/.test(status)).reduce((sum, [, n]) => sum + n, 0),
    rate: rate('rex_requests_total'),
    tokenRate: rate('rex_tokens_total'),
    latency: {
      p50: ms(0.5),
      p95: ms(0.95),
      p99: ms(0.99),
      mean: latency.count > 0 ? (latency.sum / latency.count) * 1000 : null,
    },
    batch: sizes.count > 0 ? sizes.sum / sizes.count : null,
    queue: sumOf(samples, 'rex_queue_depth'),
    inflight: sumOf(samples, 'rex_inflight_requests'),
    uptime: samples.find((s) => s.name === 'rex_uptime_seconds')?.value ?? null,
    memory,
    byStatus,
    byTask: byLabel(samples, 'rex_requests_total', 'task').filter(([task]) => task !== ''),
    phases: PHASES.flatMap((phase) => {
      const all = recent(`rex_${phase}_duration_seconds`);
      return all.count > 0 ? [[phase, (all.sum / all.count) * 1000] as [string, number]] : [];
    }),
  };
}

const EVERY = 2000;
const KEEP = 60;

export function useMonitor(running: boolean) {
  const [readings, setReadings] = useState<Reading[]>([]);
  const [memory, setMemory] = useState<unknown>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const busy = useRef(false);
  useEffect(() => {
    if (!running) return;
    const controller = new AbortController();
    const look = async () => {
      if (busy.current || document.hidden) return;
      busy.current = true;
      try {
        const samples = parseMetrics(await getText('/metrics', controller.signal));
        setReadings((old) => [...old.slice(1 - KEEP), { time: Date.now(), samples }]);
        setError(null);
      } catch (fault) {
        if (!(fault instanceof ApiError)) throw fault;
        if (fault.kind !== 'cancelled') setError(fault);
      }
      try {
        setMemory(await getJson<unknown>('/api/memory', controller.signal));
      } catch {
        // Not every server has it; the metrics stand without.
      }
      busy.current = false;
    };
    look();
    const timer = setInterval(look, EVERY);
    return () => {
      busy.current = false;
      controller.abort();
      clearInterval(timer);
    };
  }, [running]);
  return { readings, memory, error };
}
