// Answers of the helper routes, as far as the page reads them.

export interface Info {
  name?: string;
  version?: string;
  device?: string;
  precision?: string;
  model?: { name?: string; version?: string; device?: string; precision?: string };
  limits?: Record<string, number>;
  [key: string]: unknown;
}

export interface SchemaCheck {
  schema: unknown;
  labels: number;
  depth: number;
  levels: { labels: number; prompts: number; longest_label_tokens?: number; tokens?: number }[];
  warnings: { code: string; message: string; param?: string }[];
  [key: string]: unknown;
}
