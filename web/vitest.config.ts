import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          environment: 'jsdom',
          // One worker: starting more costs longer than the tests take.
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: 'e2e',
          globalSetup: ['e2e/global.ts'],
          include: ['e2e/**/*.e2e.ts'],
          environment: 'node',
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'pictures',
          globalSetup: ['e2e/global.ts'],
          include: ['e2e/**/*.pictures.ts'],
          environment: 'node',
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
