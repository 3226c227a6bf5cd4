// Answers of the helper routes, as far as the page reads them.

export interface Info {
  name?: string;
  version?: string;
  device?: string;
  precision?: string;
  model?: { name?: string; version?: string };
}

export interface SchemaCheck {
  /** Canonical: objects and null only. */
  schema: unknown;
  labels: number;
  depth: number;
  levels: { labels: number; prompts: number }[];
  memory?: { planner_kb?: number; legacy_mb?: number };
  warnings: { code: string; message: string; param?: string }[];
}
