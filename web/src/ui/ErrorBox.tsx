// What went wrong, where, what to do, and a way to try again.
import { useEffect, useState } from 'react';
import type { ApiError } from '../api/errors';
import { type Dictionary, useWords } from '../i18n/i18n';
import { KeyForm } from './KeyForm';

export function errorText(
  error: ApiError,
  t: Dictionary,
): { title: string; detail: string; hint: string } {
  const zh = t.lang === 'zh-CN';
  const { body, kind } = error;
  const detail =
    (zh && body.error_zh
      ? `${body.error_zh}${body.error ? `（${body.error}）` : ''}`
      : body.error) ?? '';
  const hint = (zh ? body.hint_zh : undefined) ?? body.hint;
  switch (kind) {
    case 'overloaded':
      return { title: t.error.overloaded, detail, hint: t.error.overloadedHint };
    case 'unavailable':
      return { title: t.error.unavailable, detail, hint: t.error.unavailableHint };
    case 'disconnected':
      return { title: t.error.disconnected, detail, hint: t.error.disconnectedHint };
    case 'unreadable':
      return { title: t.error.unreadable, detail, hint: t.error.unreadableHint };
    case 'cancelled':
      return { title: t.error.cancelled, detail: '', hint: '' };
    case 'answer':
      return { title: t.error.answer, detail: detail || `HTTP ${error.status}`, hint: hint ?? '' };
  }
}

export function ErrorBox({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  const t = useWords();
  const [wait, setWait] = useState(Math.ceil(error.retryAfterS ?? 0));
  useEffect(() => setWait(Math.ceil(error.retryAfterS ?? 0)), [error]);
  useEffect(() => {
    if (wait <= 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);
  const { title, detail, hint } = errorText(error, t);
  const { code, param, request_id: request } = error.body;
  return (
    <div className="error" role="alert">
      <strong>{title}</strong>
      {detail && <p>{detail}</p>}
      {hint && <p>{hint}</p>}
      <p className="fine">
        {code && (
          <span>
            {t.error.code}: <code>{code}</code>
          </span>
        )}
        {param && (
          <span>
            {t.error.place}: <code>{param}</code>
          </span>
        )}
        {request && (
          <span>
            {t.error.request}: <code>{request}</code>
          </span>
        )}
      </p>
      {onRetry && error.status === 401 && <KeyForm onDone={onRetry} />}
      {onRetry && error.kind !== 'answer' && (
        <button type="button" disabled={wait > 0} onClick={onRetry}>
          {wait > 0 ? t.error.retryIn(wait) : t.error.retry}
        </button>
      )}
    </div>
  );
}
