import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriveStateMessage } from '@sallyport/contract';
import { DriveFolder } from '@sallyport/rdp';
import { afterEach, expect, it } from 'vitest';
import { DesktopDrive } from './desktop-drive.ts';

const drives: DesktopDrive[] = [];
afterEach(async () => {
  for (const drive of drives.splice(0)) await drive.end();
});

/** A drive that its desktop shows, with a page that reads each answer. */
function driveOf() {
  const folder = new DriveFolder(join(tmpdir(), `sallyport-drive-${randomUUID()}`), {
    ...{ bytes: 1024 * 1024, entries: 100, freeBytes: async () => 2 ** 30 },
  });
  const states: Omit<DriveStateMessage, 'type'>[] = [];
  const rights = { upload: true, download: true };
  const drive = new DesktopDrive(folder, {
    rights: () => rights,
    transfer: () => ({ add: () => undefined, end: () => undefined }),
    refuseTransfer: () => undefined,
    note: async () => undefined,
    answer: () => undefined,
    state: (state) => states.push(state),
  });
  drives.push(drive);
  drive.accepted();
  return { drive, folder, states, rights };
}

it('tells the page once, and now and then, that a server shows the drive again and again', () => {
  const { drive, states } = driveOf();
  for (let count = 0; count < 1000; count++) drive.accepted();
  expect(states).toHaveLength(1);
});
