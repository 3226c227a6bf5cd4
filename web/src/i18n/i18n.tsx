// The words of the page: one typed dictionary a language.
import { createContext, useContext } from 'react';
import { en } from './en';
import { type Dictionary, zh } from './zh';

export type Lang = 'zh' | 'en';
export type { Dictionary };

export const DICTIONARIES: Record<Lang, Dictionary> = { zh, en };

export const WordsContext = createContext<Dictionary>(zh);

export function useWords(): Dictionary {
  return useContext(WordsContext);
}

/** 12345 → 12,345 */
export function formatCount(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

export function formatConfidence(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toFixed(2);
}

export function formatMs(ms: number): string {
  return ms >= 100 ? formatCount(ms) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

export function formatMb(bytes: number): string {
  const mb = bytes / 1024 / 1024;
  return mb >= 100 ? formatCount(mb) : mb.toFixed(1);
}

export function formatSpan(seconds: number, t: Dictionary): string {
  const gap = t.lang === 'en' ? ' ' : '';
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))}${gap}${t.unit.s}`;
  if (seconds < 5400) return `${Math.round(seconds / 60)}${gap}${t.unit.min}`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)}${gap}${t.unit.h}`;
  return `${Math.round(seconds / 86400)}${gap}${t.unit.d}`;
}
