// One server for all test files.
import type { TestProject } from 'vitest/node';
import { startServer } from './server';

declare module 'vitest' {
  export interface ProvidedContext {
    url: string;
  }
}

export default async function setup(project: TestProject) {
  const server = await startServer();
  project.provide('url', server.url);
  return server.stop;
}
