import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { keepTemporaryFilesInMemory } from './scripts/test-folder.mjs';
import { icons } from './web/icons.ts';
import { novncDecoders } from './web/novnc-decoders.ts';
import { resourceIndex } from './web/resource-index.ts';

keepTemporaryFilesInMemory();

/** Seconds of the longest test files, by their paths. */
const DURATIONS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'scripts/test-durations.json'), 'utf8'),
);

/** It ends what hangs; it measures nothing. A busy machine takes its time. */
const PATIENCE = { poll: { timeout: 100_000 } };
/** The same for tests that start nothing. */
const SMALL = { testTimeout: 120_000, expect: PATIENCE };

const TOGETHER = {
  maxWorkers: Math.min(4, availableParallelism() + 1),
  sequence: { groupOrder: 0 },
};

/**
 * Node loads the sources itself, as it does in `npm start`, and keeps compiled code between runs.
 * Vite's module runner needs several seconds of CPU for each worker that loads the server.
 */
const BY_NODE = { experimental: { viteModuleRunner: false, nodeLoader: false } };

/** Tests that start the server. */
const SERVER = {
  ...BY_NODE,
  // Each worker loads the program once and not for each of its files.
  isolate: false,
  // Each program that is started and stopped is garbage of some megabytes: with more room for young
  // objects, from the start, it costs a quarter less.
  // Several threads that collect garbage wait for each other on the processors of the tests.
  // Marking between the turns of a test would count as work of the test, and is not reported.
  execArgv: [
    '--min-semi-space-size=64',
    '--max-semi-space-size=64',
    '--single-threaded-gc',
    '--no-incremental-marking',
  ],
  globalSetup: ['scripts/test-bundle.mjs', 'server/src/testing/global-database.ts'],
  // It ends what hangs; it measures nothing.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: PATIENCE,
  ...TOGETHER,
};

/**
 * Starts the longest files first: one that starts late delays the end of the run. A fresh clone
 * does not know durations: scripts/test-durations.mjs records them. Keeps the files of a project
 * together, because a worker that changes the project ends, and the next one loads all modules.
 */
class LongestFirst extends BaseSequencer {
  override async sort(
    files: Parameters<BaseSequencer['sort']>[0],
  ): ReturnType<BaseSequencer['sort']> {
    const seconds = (file: string) => DURATIONS[relative(import.meta.dirname, file)] ?? 0;
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    const lengthOf = (some: typeof files) =>
      some.reduce((sum, { moduleId }) => sum + seconds(moduleId), 0);
    return [...byProject.values()]
      .toSorted((one, other) => lengthOf(other) - lengthOf(one))
      .flatMap((some) =>
        some.toSorted((one, other) => seconds(other.moduleId) - seconds(one.moduleId)),
      );
  }
}

/** Unit and integration tests of all workspaces, and the browser tests of `e2e`. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'contract',
          include: ['contract/src/**/*.test.ts', 'sallyctl/src/**/*.test.ts', 'scripts/*.test.mjs'],
          exclude: ['scripts/*.peers.test.mjs'],
          isolate: false,
          ...BY_NODE,
          ...SMALL,
          ...TOGETHER,
        },
      },
      {
        test: {
          name: 'packages',
          include: ['packages/**/*.test.ts'],
          isolate: false,
          ...BY_NODE,
          ...SMALL,
          ...TOGETHER,
        },
      },
      {
        plugins: [resourceIndex(), icons()],
        test: {
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          exclude: ['web/src/**/*.dom.test.tsx'],
          isolate: false,
          ...SMALL,
          ...TOGETHER,
        },
      },
      // Hooks and components in a document without a browser; only the network is replaced.
      {
        plugins: [resourceIndex(), icons()],
        resolve: { alias: [novncDecoders] },
        test: {
          name: 'web dom',
          include: ['web/src/**/*.dom.test.tsx'],
          environment: 'happy-dom',
          // A download would lead the document away, which the files of a worker share.
          environmentOptions: {
            happyDOM: {
              settings: {
                navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true },
              },
            },
          },
          ...SMALL,
          setupFiles: ['web/src/testing/document.ts'],
          isolate: false,
          ...TOGETHER,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts', 'demo/**/*.test.ts'],
          exclude: ['**/*.{peers,life}.test.ts', '**/node_modules/**'],
          ...SERVER,
        },
      },
      // Against programs of Debian packages; as root.
      {
        test: {
          name: 'peers',
          include: [
            'server/src/**/*.peers.test.ts',
            'demo/**/*.peers.test.ts',
            'scripts/*.peers.test.mjs',
          ],
          ...SERVER,
        },
      },
      // Drills with clusters that take minutes; as root. Not part of test:all.
      {
        test: { name: 'life', include: ['server/src/**/*.life.test.ts'], ...SERVER },
      },
      // More than three files at a time wait for each other: each starts servers. Tests wait for
      // results, not for a time, and none is tried twice: a test that fails now and then has a
      // defect, or the product has.
      {
        plugins: [resourceIndex(), icons()],
        test: {
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['scripts/test-build.mjs', 'e2e/harness/global-server.ts'],
          // Workers keep their browser from file to file.
          isolate: false,
          // Both end what hangs; they measure nothing.
          testTimeout: 300_000,
          hookTimeout: 180_000,
          expect: PATIENCE,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
