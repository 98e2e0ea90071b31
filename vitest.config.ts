import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** These measure what time or memory something takes, so nothing else runs beside them. */
const MEASURING = {
  server: ['server/src/gateway/flood.test.ts', 'server/src/gateway/recorder/recorder.test.ts', 'server/src/http/fuzz.property.test.ts'],
  e2e: ['e2e/journeys/flood.test.ts', 'e2e/journeys/machinery-many-rows.test.ts', 'e2e/journeys/session-ends.test.ts'],
};

const TOGETHER = { maxWorkers: Math.min(4, availableParallelism()), sequence: { groupOrder: 0 } };
const SERVER = { globalSetup: ['server/src/testing/global-database.ts'], testTimeout: 30_000, hookTimeout: 60_000 };
/**
 * Two browsers on a busy machine are slow now and then, and a journey asks for what comes, not for how soon. One that stumbled is made once more
 * from its beginning, and the report says so; one that stumbles twice has failed.
 */
const BROWSER = { testTimeout: 60_000, hookTimeout: 90_000, retry: 1, expect: { poll: { timeout: 10_000 } } };

/** Unit and integration tests of all workspaces, and the browser tests of `e2e`. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], ...TOGETHER } },
      { test: { name: 'web', include: ['web/src/**/*.test.{ts,tsx}'], ...TOGETHER } },
      { test: { name: 'server', include: ['server/src/**/*.test.ts'], exclude: MEASURING.server, ...SERVER, ...TOGETHER } },
      { test: { name: 'server alone', include: MEASURING.server, ...SERVER, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      // Each file has a server, a browser and an sshd of its own: more than two at a time wait for each other.
      { test: { name: 'e2e', include: ['e2e/**/*.test.ts'], exclude: MEASURING.e2e, ...BROWSER, maxWorkers: 2, sequence: { groupOrder: 2 } } },
      { test: { name: 'e2e alone', include: MEASURING.e2e, ...BROWSER, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
});
