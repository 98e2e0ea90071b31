import { execFile } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openLocalRecordings } from '../platform/storage/local-storage.ts';
import { createWriteProbe } from '../platform/storage/write-probe.ts';
import { startGateway } from '../testing/gateway/gateway-server.ts';
import { type MemoryRow, memoryPorts, PERSON } from '../testing/gateway/memory-ports.ts';
import { startSshd } from '../testing/ssh/sshd.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';

const run = promisify(execFile);

it('ends a session and answers in two seconds while its file system is frozen, and opens sessions afterwards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-frozen-'));
  const [image, mounted] = [join(folder, 'image'), join(folder, 'mounted')];
  await writeFile(image, '');
  await truncate(image, 64 * 1024 * 1024);
  await run('mkfs.ext4', ['-q', image]);
  await run('mkdir', [mounted]);
  await run('mount', ['-o', 'loop', image, mounted]);
  const recordings = await openLocalRecordings(mounted);
  recordings.waitWhile(() => 3);
  const sshd = await startSshd();
  const ports = memoryPorts(sshd);
  const server = await startGateway(ports, mounted, PERSON, recordings);
  const connect = () => TerminalClient.connect(server.url, { asset: 'a', system_user: 's' });
  try {
    const probe = createWriteProbe([mounted]);
    expect(await probe()).toBeUndefined();
    const client = await connect();
    await client.message('open');
    await run('fsfreeze', ['--freeze', mounted]);
    client.type('echo reco"rded"\r');
    expect(await client.message('closed')).toMatchObject({ code: 'session_disk_hanging' });
    const row: MemoryRow = ports.row();
    expect(await client.until('the end of the row', () => row.end)).toMatchObject({
      reason: 'session_disk_hanging',
      replayState: 'failed',
    });
    const start = performance.now();
    expect(await createWriteProbe([mounted])()).toBe('hanging');
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(await (await connect()).message('closed')).toMatchObject({
      code: 'session_disk_hanging',
    });

    await run('fsfreeze', ['--unfreeze', mounted]);
    await expect
      .poll(
        async () => {
          await server.gateway.finishLeft();
          return row.end?.replayState;
        },
        { timeout: 20_000 },
      )
      .toBe('recovered');
    await (await connect()).message('open');
  } finally {
    await run('fsfreeze', ['--unfreeze', mounted]).catch(() => undefined);
    await server.stop();
    await sshd.stop();
    await run('umount', [mounted]);
    await rm(folder, { recursive: true });
  }
});

/** Disks with the option of their mount and the command that spoils them. */
const SPOILT: readonly (readonly [string, string, string])[] = [
  ['full', 'size=16k', 'yes > "$0/fill" || true'],
  ['full', 'nr_inodes=2', 'touch "$0/last"'],
  ['refused', 'size=1m', 'mount -o remount,ro "$0"'],
];

it.each(SPOILT)('returns "%s" for a disk with %s after %s', async (problem, option, spoil) => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-spoilt-'));
  await run('mount', ['-t', 'tmpfs', '-o', option, 'none', folder]);
  try {
    expect(await createWriteProbe([folder])()).toBeUndefined();
    await run('sh', ['-c', spoil, folder]);
    expect(await createWriteProbe([folder])()).toBe(problem);
  } finally {
    await run('umount', [folder]);
    await rm(folder, { recursive: true });
  }
});
