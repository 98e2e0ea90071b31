import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import type { TerminalClient } from '../testing/terminals/terminal-client.ts';

const rig = gatewayRig();

describe('after a crash', () => {
  it('closes rows and finishes recordings at the next start', async () => {
    const client = await rig.openTerminal();
    await client.close();
    const row = rig.ports.row();
    await rig.finished(client);
    const { running, finished } = rig.recordingOf(row);
    // State after a crash: the row is open, the recording is uncompressed and torn.
    row.end = undefined;
    row.replay = 'recording';
    const cast = gunzipSync(await readFile(finished));
    await rm(finished);
    await writeFile(running, Buffer.concat([cast, Buffer.from('[9.0, "o", "torn')]));
    await rig.server.gateway.recover();
    expect(row.end).toMatchObject({
      reason: 'interrupted',
      success: true,
      replayState: 'recovered',
    });
    expect(gunzipSync(await readFile(finished)).equals(cast)).toBe(true);
  });
});

describe('a recording that could not be finished', () => {
  const cutOff = async () => {
    const client = await rig.openTerminal();
    const row = rig.ports.row();
    const { running, finished } = rig.recordingOf(row);
    // The finished file cannot be written at its place.
    await mkdir(finished);
    client.type('echo reco"rded"; exit\r');
    expect(await rig.finished(client)).toMatchObject({ replayState: 'failed' });
    return { row, running, finished };
  };

  it('becomes complete once there is room', async () => {
    const { row, running, finished } = await cutOff();
    await rig.server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'failed' });
    expect((await readFile(running)).length).toBeGreaterThan(0);

    await rmdir(finished);
    await rig.server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'recovered', success: true });
    const cast = gunzipSync(await readFile(finished));
    expect(cast.toString()).toContain('recorded');
    expect(row.end?.recording).toMatchObject({ size: (await readFile(finished)).length });
    await expect(readFile(running)).rejects.toThrow('ENOENT');

    row.end = undefined;
    await rig.server.gateway.finishLeft();
    expect(row.end).toBeUndefined();
  });

  it('leaves the list after its file was removed', async () => {
    const { row, running, finished } = await cutOff();
    await rm(running);
    await rmdir(finished);
    await rig.server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'failed' });
  });

  it('becomes complete later when the disk is also full at the start of the server', async () => {
    const { row, finished } = await cutOff();
    await rig.server.gateway.recover();
    expect(row.end).toMatchObject({ replayState: 'failed' });
    await rmdir(finished);
    await rig.server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'recovered' });
  });
});

describe('recordings and their disk', () => {
  const flooding = async (): Promise<TerminalClient> => {
    const client = await rig.openTerminal();
    client.keepsOutput = false;
    client.type('yes 0123456789012345678901234567890123456789\r');
    return client;
  };

  it('ends a session when its recording reaches the maximum size, and finishes the recording', async () => {
    rig.ports.limitValues = { ...rig.ports.limitValues, recordingBytes: 3 * 1024 * 1024 };
    const client = await flooding();
    expect(await client.message('closed')).toMatchObject({
      code: 'session_recording_full',
      message: expect.stringContaining('3 MiB'),
    });
    expect(await rig.finished(client)).toMatchObject({
      reason: 'session_recording_full',
      replayState: 'finished',
    });
  });

  it('slows the target when the recording grows too fast, without losing output', async () => {
    const [burst, rate] = [500_000, 1_000_000];
    rig.ports.limitValues = {
      ...rig.ports.limitValues,
      recordingBurstBytes: burst,
      recordingBytesPerSecond: rate,
    };
    const client = await rig.openTerminal();
    const began = performance.now();
    const excess: number[] = [];
    client.socket.on('message', () =>
      excess.push(client.received - burst - (rate * (performance.now() - began)) / 1000),
    );
    client.type('head -c 2000000 /dev/zero | tr "\\0" x; echo; echo do"n"e\r');
    await client.waitFor('done');
    // Tolerance for data read before the pause takes effect: one packet, and output before the
    // clock started.
    expect(Math.max(...excess)).toBeLessThan(100_000);
    client.type('exit\r');
    expect(await rig.finished(client)).toMatchObject({
      reason: 'connect_target_closed',
      replayState: 'finished',
    });
    expect(
      gunzipSync(await readFile(rig.recordingOf(rig.ports.row()).finished))
        .toString()
        .match(/x/g)?.length,
    ).toBeGreaterThanOrEqual(2_000_000);
  });

  it('ends the largest session when the disk is nearly full, then all, and opens no new one', async () => {
    const quiet = await rig.openTerminal();
    const loud = await flooding();
    await loud.until('a large recording', () => (loud.received > 1_000_000 ? true : undefined));
    rig.ports.limitValues = { ...rig.ports.limitValues, diskReserveBytes: 1000 };
    rig.ports.freeBytes = 900;
    await rig.server.gateway.checkDisk();
    expect(await loud.message('closed')).toMatchObject({ code: 'session_disk_full' });
    quiet.type('echo still he"re"\r');
    await quiet.waitFor('still here');
    expect(await (await rig.connect()).message('closed')).toMatchObject({
      code: 'session_disk_full',
    });
    rig.ports.freeBytes = 400;
    await rig.server.gateway.checkDisk();
    expect(await quiet.message('closed')).toMatchObject({ code: 'session_disk_full' });
    for (const row of rig.ports.rows.values())
      await quiet.until('the end of the row', () => row.end);
    expect([...rig.ports.rows.values()].map((row) => row.end?.replayState).sort()).toEqual([
      'finished',
      'finished',
      'none',
    ]);
  });
});
