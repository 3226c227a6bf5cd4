// One kind of error for everything that may go wrong between the page and the server.

export type ErrorKind =
  | 'answer'
  | 'overloaded'
  | 'unavailable'
  | 'disconnected'
  | 'cancelled'
  | 'unreadable';

export interface ErrorBody {
  error?: string;
  error_zh?: string;
  code?: string;
  status?: number;
  param?: string;
  hint?: string;
  hint_zh?: string;
  request_id?: string;
}

export class ApiError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly status: number,
    readonly body: ErrorBody,
    readonly retryAfterS: number | null = null,
  ) {
    super(body.error ?? kind);
  }
}

export function errorOf(status: number, text: string, retryAfter: string | null): ApiError {
  let body: ErrorBody = {};
  try {
    const value: unknown = JSON.parse(text);
    if (value && typeof value === 'object') body = value as ErrorBody;
  } catch {
    // A proxy's own page: nothing in it helps the user.
  }
  const kind =
    status === 429
      ? 'overloaded'
      : status === 503 || status === 502 || status === 504
        ? 'unavailable'
        : 'answer';
  const seconds = Number(retryAfter);
  return new ApiError(kind, status, body, retryAfter !== null && seconds >= 0 ? seconds : null);
}
