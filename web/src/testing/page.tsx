// Renders a part of the page with its store and a server made of a function.
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, vi } from 'vitest';
import { StoreProvider } from '../state/store';

// jsdom lays nothing out.
Element.prototype.scrollIntoView = () => {};
Element.prototype.getClientRects = () => [{ left: 0, bottom: 10 }] as unknown as DOMRectList;

export function renderPage(content: ReactNode, hash = '#/ner') {
  window.history.replaceState(null, '', `/${hash}`);
  return render(<StoreProvider>{content}</StoreProvider>);
}

export interface Sent {
  path: string;
  body: string;
}

/** Answers each call by its path; records what was sent. */
export function serve(reply: (path: string, body: string) => Response | Promise<Response>): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const { pathname, search } = new URL(url);
    const call = { path: pathname + search, body: String(init.body ?? '') };
    sent.push(call);
    return reply(call.path, call.body);
  });
  return sent;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});
