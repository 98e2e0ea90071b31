import type { DriveAnswerMessage, DriveRequestMessage } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { DesktopDrive } from './desktop-drive.ts';

/** A drive whose gateway accepts all; `held` requests get their answers from the test. */
function driveOf(held: (request: DriveRequestMessage) => boolean = () => false) {
  const requests: DriveRequestMessage[] = [];
  const drive = new DesktopDrive((request) => {
    requests.push(request);
    if (!held(request)) answer(request);
  });
  const answer = (request: DriveRequestMessage) => {
    const content: Partial<DriveAnswerMessage> = request.action === 'list' ? { entries: [] } : {};
    queueMicrotask(() => drive.hear({ type: 'drive', id: request.id, ...content }));
  };
  const written = () =>
    requests.flatMap((request) => (request.action === 'write' ? [request.path] : []));
  return { drive, requests, answer, written };
}

const fileOf = (name: string) => new File(['content'], name);

it('uploads all chosen files into one folder, whichever is open later', async () => {
  const { drive, requests, answer, written } = driveOf(({ action }) => action === 'piece');
  await drive.open('one');
  const uploaded = drive.upload([fileOf('a'), fileOf('b')]);
  for (const count of [1, 2]) {
    await expect
      .poll(() => requests.filter(({ action }) => action === 'piece'))
      .toHaveLength(count);
    await drive.open('two');
    expect(drive.snapshot().transfer?.name).toBe(count === 1 ? 'a' : 'b');
    const last = requests.findLast(({ action }) => action === 'piece');
    if (last) answer(last);
  }
  await uploaded;
  expect(written()).toEqual(['one/a', 'one/b']);
  expect(drive.snapshot()).toMatchObject({ path: 'two', transfer: null, error: null });
});

it('begins no further file after a transfer is given up', async () => {
  const { drive, requests, answer, written } = driveOf(({ action }) => action === 'piece');
  const uploaded = drive.upload([fileOf('a'), fileOf('b')]);
  await expect.poll(() => requests.some(({ action }) => action === 'piece')).toBe(true);
  drive.cancel();
  await drive.open('');
  const piece = requests.find(({ action }) => action === 'piece');
  if (piece) answer(piece);
  await uploaded;
  expect(written()).toEqual(['a']);
  expect(requests.at(-1)).toMatchObject({ action: 'cancel' });
});
