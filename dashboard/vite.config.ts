import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no `data:` but of pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
