// Is the server there, is the model loaded, what is it?
import { useEffect, useState } from 'react';
import { getJson, getText } from '../api/client';
import { ApiError } from '../api/errors';
import type { Info } from '../api/types';

export type ServerState = 'unknown' | 'ready' | 'loading' | 'offline';

const WHEN_READY = 15_000;
const WHEN_NOT = 2_000;

export function useServer(): { server: ServerState; info: Info | null } {
  const [server, setServer] = useState<ServerState>('unknown');
  const [info, setInfo] = useState<Info | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const controller = new AbortController();
    const look = async () => {
      let now: ServerState = 'ready';
      try {
        await getText('/readyz', controller.signal);
      } catch (fault) {
        now = fault instanceof ApiError && fault.kind === 'disconnected' ? 'offline' : 'loading';
      }
      if (controller.signal.aborted) return;
      setServer(now);
      timer = setTimeout(look, now === 'ready' ? WHEN_READY : WHEN_NOT);
    };
    look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, []);
  useEffect(() => {
    if (server !== 'ready') return;
    const controller = new AbortController();
    getJson<Info>('/api/info', controller.signal).then(setInfo, () => {});
    return () => controller.abort();
  }, [server]);
  return { server, info };
}
