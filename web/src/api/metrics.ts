// The text format of Prometheus, as far as a monitor page needs it.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const match = LINE.exec(line);
    if (!match) continue;
    const labels: Record<string, string> = {};
    for (const [, key, value] of (match[2] ?? '').matchAll(LABEL)) {
      labels[key as string] = (value as string)
        .replaceAll('\\n', '\n')
        .replaceAll('\\"', '"')
        .replaceAll('\\\\', '\\');
    }
    const raw = match[3] as string;
    const value = raw === '+Inf' ? Infinity : raw === '-Inf' ? -Infinity : Number(raw);
    samples.push({ name: match[1] as string, labels, value });
  }
  return samples;
}

export function sumOf(
  samples: readonly Sample[],
  name: string,
  where: Record<string, string> = {},
): number {
  return samples
    .filter((s) => s.name === name && Object.entries(where).every(([k, v]) => s.labels[k] === v))
    .reduce((sum, s) => sum + s.value, 0);
}

/** Values of a metric added up by one of its labels, largest first. */
export function byLabel(
  samples: readonly Sample[],
  name: string,
  label: string,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const s of samples) {
    if (s.name !== name) continue;
    const key = s.labels[label] ?? '';
    sums.set(key, (sums.get(key) ?? 0) + s.value);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

export interface Histogram {
  /** Upper bounds with cumulative counts, rising. */
  buckets: { le: number; count: number }[];
  count: number;
  sum: number;
}

export function histogramOf(samples: readonly Sample[], name: string): Histogram {
  const buckets = new Map<number, number>();
  for (const s of samples) {
    if (s.name !== `${name}_bucket`) continue;
    const le = s.labels.le === '+Inf' ? Infinity : Number(s.labels.le);
    buckets.set(le, (buckets.get(le) ?? 0) + s.value);
  }
  return {
    buckets: [...buckets].map(([le, count]) => ({ le, count })).sort((a, b) => a.le - b.le),
    count: sumOf(samples, `${name}_count`),
    sum: sumOf(samples, `${name}_sum`),
  };
}

/** What happened between two readings; a restart of the server begins anew. */
export function since(now: Histogram, before: Histogram): Histogram {
  if (now.count < before.count) return now;
  const old = new Map(before.buckets.map((b) => [b.le, b.count]));
  return {
    buckets: now.buckets.map((b) => ({ le: b.le, count: b.count - (old.get(b.le) ?? 0) })),
    count: now.count - before.count,
    sum: now.sum - before.sum,
  };
}

/** Linear within the bucket; null without observations. The open last bucket gives its lower bound. */
export function quantile(histogram: Histogram, q: number): number | null {
  if (histogram.count <= 0) return null;
  const wanted = q * histogram.count;
  let low = 0;
  let below = 0;
  for (const { le, count } of histogram.buckets) {
    if (count >= wanted) {
      if (le === Infinity) return low;
      return count === below ? le : low + ((le - low) * (wanted - below)) / (count - below);
    }
    low = le;
    below = count;
  }
  return low;
}
