// The real server with the small model, for the tests in the browser. REX_URL names one that runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const BINARY = process.env.REX_BINARY ?? at('../../build/release/bin/rexuninlu');
const MODEL = at('../../models/mini');
const DIST = at('../dist');

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    (r) => r.ok,
    () => false,
  );
}

export async function startServer(): Promise<Server> {
  if (process.env.REX_URL) return { url: process.env.REX_URL, stop: async () => {} };
  if (!existsSync(BINARY))
    throw new Error(`no server at ${BINARY}: build it, or name it in REX_BINARY`);
  const port = await freePort();
  const child: ChildProcess = spawn(
    BINARY,
    ['serve', '--model', MODEL, '--port', String(port), '--set', `ui.dir=${DIST}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let log = '';
  child.stderr?.on('data', (data) => {
    log = (log + data).slice(-4000);
  });
  let ended = false;
  child.on('exit', () => {
    ended = true;
  });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 300 && !(await answers(url)); i += 1) {
    if (ended) throw new Error(`the server ended: ${log}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        if (ended) return resolve();
        child.on('exit', () => resolve());
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), 5000).unref();
      }),
  };
}
