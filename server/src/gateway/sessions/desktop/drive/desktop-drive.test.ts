import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DriveAction, type DriveStateMessage, MAX_DRIVE_REQUESTS } from '@sallyport/contract';
import { DriveFolder } from '@sallyport/rdp';
import { afterEach, expect, it, vi } from 'vitest';
import { Refusal, wordProblem } from '../../../refusal.ts';
import { DesktopDrive, type DriveAnswer } from './desktop-drive.ts';

const drives: DesktopDrive[] = [];
afterEach(async () => {
  for (const drive of drives.splice(0)) await drive.end();
});

/** A drive that its desktop shows, with a page that reads each answer, or none. */
function driveOf(reads = true, directory = tmpdir()) {
  const folder = new DriveFolder(join(directory, `sallyport-drive-${randomUUID()}`), {
    ...{ bytes: 1024 * 1024, entries: 100, freeBytes: async () => 2 ** 30 },
  });
  const states: Omit<DriveStateMessage, 'type'>[] = [];
  const rights = { upload: true, download: true };
  const counts = { begun: 0, ended: 0 };
  const answers: (DriveAnswer | Refusal)[] = [];
  const failures: unknown[] = [];
  const drive = new DesktopDrive(folder, {
    rights: () => rights,
    transfer() {
      counts.begun++;
      return { add: () => undefined, end: () => counts.ended++ };
    },
    refuseTransfer: () => undefined,
    note: async () => undefined,
    answer(_id, answer) {
      answers.push(answer);
      return reads ? Promise.resolve() : new Promise(() => undefined);
    },
    state: (state) => states.push(state),
    failed: (error) => failures.push(error),
  });
  drives.push(drive);
  drive.accepted();
  /** Sends a request. Returns the answer, or the code of the error. */
  const ask = async (id: number, action: DriveAction) => {
    const count = answers.length;
    expect(drive.request({ type: 'drive', id, ...action })).toBe(true);
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(count));
    const answer = answers.at(-1);
    return answer instanceof Refusal ? answer.problem : answer;
  };
  return { drive, folder, states, rights, counts, answers, failures, ask };
}

it('tells the page once, and now and then, that a server shows the drive again and again', () => {
  const { drive, states } = driveOf();
  for (let count = 0; count < 1000; count++) drive.accepted();
  expect(states).toHaveLength(1);
});

it('begins no transfer under the number of a running one', async () => {
  const { ask, counts, folder } = driveOf();
  expect(await ask(1, { action: 'write', path: 'a' })).toEqual({});
  expect(await ask(1, { action: 'write', path: 'b' })).toEqual({ code: 'file_limit' });
  expect(await ask(1, { action: 'read', path: 'a.part' })).toEqual({ code: 'file_limit' });
  expect(folder.list(folder.root).map(({ name }) => name)).toEqual(['a.part']);
  expect(counts).toEqual({ begun: 1, ended: 0 });
  await ask(2, { action: 'done', of: 1 });
  expect(await ask(1, { action: 'read', path: 'a' })).toEqual({ size: 0 });
  expect(counts).toEqual({ begun: 2, ended: 1 });
});

it('gives up a page that asks and reads no answers', async () => {
  const { drive, answers } = driveOf(false);
  const list = { type: 'drive', action: 'list', path: '' } as const;
  let taken = 0;
  for (let id = 1; id < 100 && drive.request({ ...list, id }); id++) {
    taken++;
    await new Promise((done) => setImmediate(done));
  }
  expect([taken, answers.length]).toEqual([MAX_DRIVE_REQUESTS, 1]);
});

it('names the missing right in both languages, and passes nothing after the right has ended', async () => {
  const { drive, folder, rights, ask } = driveOf();
  const node = folder.create(['a'], false);
  await folder.write(node, 0, Buffer.from('secret'));
  expect(await ask(1, { action: 'read', path: 'a' })).toEqual({ size: 6 });
  const next = ask(2, { action: 'next', of: 1 });
  await Promise.resolve();
  rights.download = false;
  drive.rightsChanged({ upload: true, download: true });
  expect(await next).toEqual({ code: 'file_incomplete' });
  const problem = await ask(3, { action: 'read', path: 'a' });
  if (!problem || !('code' in problem)) throw new Error('no refusal');
  expect([wordProblem(problem, 'en'), wordProblem(problem, 'zh')]).toEqual([
    'Your permission does not include: Download file.',
    '您的授权不包含：下载文件。',
  ]);
});

it('reports a failure of the disk, and none of the page', async () => {
  const { ask, failures } = driveOf(true, '/nonexistent');
  await ask(1, { action: 'write', path: 'a' });
  const data = Buffer.from('x').toString('base64');
  expect(await ask(2, { action: 'piece', of: 1, data })).toEqual({ code: 'internal' });
  expect(await ask(3, { action: 'read', path: 'missing' })).toEqual({ code: 'file_not_found' });
  expect(failures).toMatchObject([{ code: 'ENOENT' }]);
});
