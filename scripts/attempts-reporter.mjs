// A reporter of vitest for scripts/test.mjs: what the report of vitest leaves out.
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/**
 * Writes errors outside of tests and tests that passed only at a later attempt, as JSON, to the
 * file that SALLYPORT_TEST_ATTEMPTS names: `outside` texts, and `later` pairs of a test's name and
 * the errors of its earlier attempts.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by it
export default class AttemptsReporter {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const later = tests
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => [
        `${test.module.relativeModuleId} > ${test.fullName}`,
        (test.result().errors ?? []).map(textOf).join('\n'),
      ]);
    writeFileSync(
      process.env.SALLYPORT_TEST_ATTEMPTS,
      JSON.stringify({ outside: errors.map(textOf), later }),
    );
  }
}

function textOf({ type, message, stack, VITEST_TEST_PATH: path, VITEST_TEST_NAME: name }) {
  const text = stack?.includes(message) ? stack : [message, stack].filter(Boolean).join('\n');
  const where = path ? [`while ${[path, name].filter(Boolean).join(' > ')} ran`] : [];
  return stripVTControlCharacters([...where, type ? `${type}: ${text}` : text].join('\n'));
}
