import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Drivers of other languages against a running program; `npm run test:clients` starts it. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['clients/*.test.ts'],
    globalSetup: ['scripts/test-bundle.mjs', 'server/src/testing/global-database.ts'],
    testTimeout: 900_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
  },
});
