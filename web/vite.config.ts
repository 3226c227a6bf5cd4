import { existsSync, readdirSync, readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// Where `npm run dev` sends the calls of the page.
const server = process.env.REX_SERVER ?? 'http://127.0.0.1:7860';
const served = ['/api', '/metrics', '/readyz', '/healthz', '/openapi.json', '/docs', '/version'];

// Licences of what is bundled travel with it, as they ask.
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle() {
      const folders = new Set<string>();
      for (const id of this.getModuleIds()) {
        const match = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id);
        if (match?.[1] && existsSync(match[1])) folders.add(match[1]);
      }
      const parts = [...folders].sort().map((folder) => {
        const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
        const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
        return `${name} ${version}\n\n${file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''}\n`;
      });
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: parts.join('\n\n') });
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [react(), licences()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Every asset is a file of its own, so that a strict content policy needs no exception.
    assetsInlineLimit: 0,
  },
  server: { proxy: Object.fromEntries(served.map((path) => [path, server])) },
});
