// Documents that say something about the code are held against the code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOutdatedConfiguration } from './configuration.mjs';
import { findOutdatedDatabasePage } from './database-page.mjs';
import { findOutdatedDecisions } from './decisions.mjs';
import { ROOT } from './lib.mjs';
import { sourceFiles } from './source-files.mjs';

/** Returns outdated documents, one line each. */
export async function findStaleDocuments() {
  return [
    ...(await findOutdatedConfiguration()),
    ...findOutdatedDatabasePage(),
    ...findOutdatedDecisions(),
    ...findMissingTests(),
    ...findBrokenCitations(),
    ...findOutdatedGaps(),
  ];
}

/**
 * Every test that a document names exists: `path › title`, the title being a part of a test's name
 * in that file.
 */
export function findMissingTestsOf(document) {
  const references = [
    ...readFileSync(join(ROOT, document), 'utf8').matchAll(
      /`([\w./-]+\.test\.(?:tsx?|mjs)) › ([^`]+)`/g,
    ),
  ];
  if (references.length === 0) return [`${document} names no test`];
  return references.flatMap(([, path, title]) => {
    const source = existsSync(join(ROOT, path))
      ? readFileSync(join(ROOT, path), 'utf8')
      : undefined;
    if (source === undefined) return [`${document} names ${path}, which does not exist`];
    return source.includes(title)
      ? []
      : [`${document} names the test “${title}”, which is not in ${path}`];
  });
}

/** The tests that documents name. `npm run conformance` checks those of the conformance table. */
function findMissingTests() {
  return ['docs/beyond-the-specification.md', 'docs/security-model.md'].flatMap(findMissingTestsOf);
}

/**
 * Comments cite rows of docs/conformance.md as `conformance 9.12`; each row exists, and no document
 * outside of the repository is cited.
 */
function findBrokenCitations() {
  const rows = new Set(
    [
      ...readFileSync(join(ROOT, 'docs/conformance.md'), 'utf8').matchAll(
        /^\| (\d+\.\d+)[a-z]? \|/gm,
      ),
    ].map(([, row]) => row),
  );
  return sourceFiles().flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const place = `${file}:${index + 1}`;
        const cited = [
          ...line.matchAll(/\bconformance ((?:\d+\.\d+(?:, | and | to )?)+)/gi),
        ].flatMap(([, list]) => list.match(/\d+\.\d+/g) ?? []);
        const missing = cited
          .filter((row) => !rows.has(row))
          .map(
            (row) => `${place} cites conformance ${row}, which docs/conformance.md does not have`,
          );
        const outside = /(?<!RFC.*)(specification|reference) §/i.test(line)
          ? [`${place} cites a document that is not in the repository`]
          : [];
        return [...missing, ...outside];
      }),
  );
}

/**
 * SECURITY.md must not say that a thing does not exist which a promise of the security model names:
 * each promise has a test.
 */
function findOutdatedGaps() {
  const [security, model] = ['SECURITY.md', 'docs/security-model.md'].map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  return outdatedGaps(security, model);
}

/**
 * The things of the section "What does not exist" that a row of the model with a test names, in any
 * case, with a final s or without.
 */
export function outdatedGaps(security, model) {
  const section = security.split(/^## What does not exist.*$/m)[1]?.split(/^## /m)[0];
  if (section === undefined) return ['SECURITY.md has no section "What does not exist"'];
  const promises = model.split('\n').filter((line) => line.startsWith('|') && line.includes(' › '));
  return [...section.matchAll(/^- \*\*([^*]+?)[.,]?\*\*/gm)].flatMap(([, thing]) => {
    const words = thing.toLowerCase().replace(/s$/, '');
    const promise = promises.find((line) =>
      (line.split('|')[2] ?? '').toLowerCase().includes(words),
    );
    return promise
      ? [
          `SECURITY.md says that "${thing}" does not exist; docs/security-model.md promises it: ${promise.slice(0, 80)}`,
        ]
      : [];
  });
}
