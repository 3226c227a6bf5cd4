import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Where `npm run dev` sends the calls of the page.
const server = process.env.REX_SERVER ?? 'http://127.0.0.1:7860';
const served = ['/api', '/metrics', '/readyz', '/healthz', '/openapi.json', '/docs', '/version'];

export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Every asset is a file of its own, so that a strict content policy needs no exception.
    assetsInlineLimit: 0,
  },
  server: { proxy: Object.fromEntries(served.map((path) => [path, server])) },
});
