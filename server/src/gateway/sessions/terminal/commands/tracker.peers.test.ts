import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { requirePeers } from '../../../../testing/peers.ts';
import { startSshd } from '../../../../testing/ssh/sshd.ts';
import { PROMPT, trackerRig } from './testing/tracker-rig.ts';

const { rig, sshd } = trackerRig(startSshd);
beforeAll(() => requirePeers('vim', 'less'));

it('ignores keys in vim, less and top, and records the next command', async () => {
  await writeFile(
    join(sshd().home, 'long.txt'),
    Array.from({ length: 300 }, (_, i) => `line ${i}`).join('\n'),
    { mode: 0o644 },
  );
  const r = await rig();
  await r.type('vim -u NONE -c "set t_BE=" long.txt');
  r.keys('\r');
  await r.test.waitFor('line 21');
  await r.test.quiet();
  await r.type('ihello\x1b');
  await r.type(':q!');
  await r.enter();
  await r.type('less long.txt');
  r.keys('\r');
  await r.test.waitFor('line 22');
  await r.test.quiet();
  await r.type('/line 20\r');
  r.test.forget();
  r.keys('q');
  await r.test.waitFor(PROMPT);
  await r.type('top');
  r.keys('\r');
  // top reads keys only once it has drawn.
  await r.test.waitFor('load average');
  await r.test.quiet(300);
  await r.type('\r');
  await r.test.quiet(300);
  r.test.forget();
  r.keys('q');
  await r.test.waitFor(PROMPT);
  await r.type('echo back');
  await r.enter();
  expect(await r.inputs()).toEqual([
    'vim -u NONE -c "set t_BE=" long.txt',
    'less long.txt',
    'top',
    'echo back',
  ]);
});
