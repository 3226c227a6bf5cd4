import { describe, expect, it } from 'vitest';
import { parseMetrics } from '../api/metrics';
import { figuresOf } from './monitor';

const reading = (time: number, requests: number) => ({
  time,
  samples: parseMetrics(`
rex_requests_total{route="/api/ner",status="200",task="ner"} ${requests}
rex_requests_total{route="/api/ner",status="422",task="ner"} 2
rex_requests_total{route="/metrics",status="200",task=""} 900
rex_tokens_total{task="ner"} ${requests * 30}
rex_request_duration_seconds_bucket{task="ner",le="0.01"} ${requests}
rex_request_duration_seconds_bucket{task="ner",le="+Inf"} ${requests}
rex_request_duration_seconds_sum{task="ner"} ${requests * 0.004}
rex_request_duration_seconds_count{task="ner"} ${requests}
rex_infer_duration_seconds_sum{task="ner"} ${requests * 0.003}
rex_infer_duration_seconds_count{task="ner"} ${requests}
rex_batch_size_sum 30
rex_batch_size_count 10
rex_memory_bytes{kind="weights"} 100
rex_memory_bytes{kind="requests_budget"} 9999999
process_resident_memory_bytes 300
rex_queue_depth 3
rex_uptime_seconds 60
`),
});

describe('figuresOf', () => {
  it('counts requests for the model, not the readings of the monitor', () => {
    const figures = figuresOf(reading(1000, 8), null);
    expect(figures).toMatchObject({
      requests: 10,
      failed: 2,
      rate: null,
      queue: 3,
      batch: 3,
      uptime: 60,
    });
    expect(figures.byTask).toEqual([['ner', 10]]);
  });

  it('gives rates between two readings', () => {
    const figures = figuresOf(reading(3000, 28), reading(1000, 8));
    expect(figures.rate).toBeCloseTo(10);
    expect(figures.tokenRate).toBeCloseTo(300);
    expect(figures.latency.mean).toBeCloseTo(4);
    expect(figures.phases).toEqual([['infer', expect.closeTo(3)]]);
  });

  it('keeps the last figures while it is quiet', () => {
    expect(figuresOf(reading(3000, 8), reading(1000, 8)).latency.mean).toBeCloseTo(4);
  });

  it('shows memory in use, largest first, not the budget', () => {
    expect(figuresOf(reading(1000, 8), null).memory).toEqual([
      ['resident', 300],
      ['weights', 100],
    ]);
  });
});
