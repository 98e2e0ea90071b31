import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import config, { removeOldParts } from '../server/bundle.config.mjs';

it('keeps parts of earlier bundles for a running server, and removes those of a month ago', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  try {
    const [young, old] = ['young.mjs', 'old.mjs'].map((name) => join(folder, name));
    for (const path of [young, old]) writeFileSync(path, '');
    const before = (days) => new Date(Date.now() - days * 86_400_000);
    utimesSync(young, before(29), before(29));
    utimesSync(old, before(31), before(31));
    removeOldParts(folder);
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
    expect(config.build.emptyOutDir).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
