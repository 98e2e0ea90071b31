import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { requirePeers } from '../testing/peers.ts';

const ANALYZE = '/usr/bin/systemd-analyze';
const UNIT = resolve(import.meta.dirname, '../../../packaging/systemd/sallyport.service');

it('accepts the unit in systemd, with an exposure below 2', () => {
  requirePeers('systemd');
  const verified = spawnSync(ANALYZE, ['verify', '--recursive-errors=no', UNIT], {
    encoding: 'utf8',
  });
  // The program path of the unit exists only on installed machines.
  const complaints = verified.stderr
    .split('\n')
    .filter(
      (line) =>
        line.includes('sallyport.service') && !line.includes('/usr/bin/node is not executable'),
    );
  expect(complaints).toEqual([]);
  const { stdout } = spawnSync(ANALYZE, ['security', '--offline=true', UNIT], { encoding: 'utf8' });
  expect(Number(/exposure level for sallyport\.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(
    2,
  );
});
