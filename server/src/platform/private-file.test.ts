import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { assertPrivateFile, commandFor } from './private-file.ts';

const FILE = '/etc/sallyport/secret.key';

it.each([
  ['its owner', { uid: 1001, gid: 1001 }, 1001, `chmod 600 ${FILE}`],
  ['a member of its group', { uid: 0, gid: 1001 }, 1001, `chown 1001 ${FILE} && chmod 600 ${FILE}`],
  ['another account', { uid: 1002, gid: 0 }, 1001, `chown 1001 ${FILE} && chmod 600 ${FILE}`],
  ['root, for a file of the server', { uid: 1001, gid: 0 }, 0, `chmod 600 ${FILE}`],
  ['root, for its own file', { uid: 0, gid: 0 }, 0, `chmod 600 ${FILE}`],
  [
    'root, for a file of a group',
    { uid: 0, gid: 1001 },
    0,
    `chown ACCOUNT ${FILE} && chmod 600 ${FILE}, with the account that runs the server`,
  ],
])(
  'suggests a command that leaves the file readable when it runs as %s',
  (_, owner, self, command) => {
    expect(commandFor(FILE, owner, self)).toBe(command);
  },
);

it('rejects a file that others can read until the command was run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-private-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret.key');
  writeFileSync(file, 'x');
  for (const mode of [0o640, 0o604, 0o622]) {
    chmodSync(file, mode);
    expect(() => assertPrivateFile(file)).toThrow(`Run: chmod 600 ${file}`);
  }
  chmodSync(file, 0o600);
  expect(() => assertPrivateFile(file)).not.toThrow();
});

it.each(['two words', "an administrator's", '$(touch x); y', '-R'])(
  'suggests a command that changes only the file in a folder named %s',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-private-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, name, 'secret.key');
    const other = join(folder, name.split(' ')[0] ?? '');
    mkdirSync(dirname(file));
    if (!existsSync(other)) mkdirSync(other, { mode: 0o755 });
    const before = statSync(other).mode;
    writeFileSync(file, 'x');
    chmodSync(file, 0o644);
    const command = commandFor(file, statSync(file), process.getuid?.());
    execFileSync('sh', ['-c', command], { cwd: folder });
    expect(() => assertPrivateFile(file)).not.toThrow();
    expect([statSync(other).mode, readdirSync(folder)]).toEqual([
      before,
      expect.not.arrayContaining(['x']),
    ]);
  },
);
