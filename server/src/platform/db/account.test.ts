import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { unreachable } from './account.ts';

/** An account that owns nothing here. */
const OTHER = { uid: 65_533, gid: 65_533, prefix: [] };

it('names the folder that the account of PostgreSQL may not enter, and the command that opens it', () => {
  const parent = mkdtempSync(join(tmpdir(), 'sallyport-closed-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  chmodSync(parent, 0o711);
  const data = join(parent, 'data');
  mkdirSync(join(data, 'postgres'), { recursive: true });
  chmodSync(data, 0o711);
  const path = join(data, 'postgres');
  expect(unreachable(path, OTHER)).toBe('');
  for (const closed of [data, parent]) {
    chmodSync(closed, 0o700);
    expect(unreachable(path, OTHER)).toBe(
      `PostgreSQL's account (65533) may not enter ${closed}. Run: chmod a+x ${closed}`,
    );
    chmodSync(closed, 0o711);
  }
  // A server that is not root runs PostgreSQL as its own account.
  chmodSync(parent, 0o700);
  expect(unreachable(path, { prefix: [] })).toBe('');
});
