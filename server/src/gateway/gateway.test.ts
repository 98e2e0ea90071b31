import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from './testing/gateway-rig.ts';
import { grantFor } from './testing/memory-ports.ts';

const rig = gatewayRig();

describe('a session', () => {
  it('is a row, a shell, a recording in asciicast, and a list of commands', async () => {
    const client = await rig.openTerminal();
    const row = rig.ports.row();
    expect(row.replay).toBe('recording');
    expect(
      client.messages.map((message) => (message.type === 'stage' ? message.stage : message.type)),
    ).toEqual(['checking', 'connecting', 'authenticating', 'opening', 'open', 'taken']);
    client.type('echo he"ll"o 世界\r');
    await client.waitFor('hello 世界');
    await client.waitFor('ready> ');
    client.send({ type: 'resize', cols: 101, rows: 31 });
    client.type('stty size\r');
    await client.waitFor('31 101');
    // What is typed before the prompt is shown twice, and its output is behind the second time.
    await client.waitFor('ready> ');
    client.type('exit\r');
    expect(await client.message('closed')).toMatchObject({
      code: 'connect_target_closed',
      retry: true,
    });
    expect(await rig.finished(client)).toMatchObject({
      success: true,
      reason: 'connect_target_closed',
      replayState: 'finished',
    });
    expect(row.commands.map(({ input, output }) => ({ input, output }))).toEqual([
      { input: 'echo he"ll"o 世界', output: 'hello 世界' },
      { input: 'stty size', output: '31 101' },
      // A busy sshd may hang up before it has passed the last line on, or in the middle of it: a line without an end counts as the next prompt.
      { input: 'exit', output: /logout\r*\n/.test(client.output) ? 'logout' : '' },
    ]);
    const cast = gunzipSync(await readFile(rig.recordingOf(row).finished));
    const lines = cast.toString('utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ version: 2, width: 80, height: 24 });
    expect(lines.some((line) => line.endsWith('"r", "101x31"]'))).toBe(true);
    const events = lines.slice(1).map((line) => JSON.parse(line));
    const shown = events.filter((event) => event[1] === 'o').map((event) => event[2]);
    expect(shown.join('')).toBe(client.output);
  });

  it('speaks the charset of its target', async () => {
    const grant = grantFor(rig.sshd);
    rig.ports.grant = { ...grant, asset: { ...grant.asset, charset: 'gbk' } };
    const client = await rig.openTerminal();
    client.type("printf '\\304\\343\\272\\303\\n'\r");
    await client.waitFor('\r你好');
    client.type('printf %s 世界 | od -An -tx1\r');
    await client.waitFor(' ca c0 bd e7');
    await client.close();
  });

  it('ends with its browser, and says so in the row', async () => {
    const client = await rig.openTerminal();
    await client.close();
    expect(await rig.finished(client)).toMatchObject({
      success: true,
      reason: 'session_finished',
      replayState: 'finished',
    });
    expect(rig.server.gateway.hub.counts()).toEqual({ sessions: 0, connecting: 0, watchers: 0 });
  });
});

describe('lines without echo', () => {
  it('are counted in the commands and marked in the recording, without what they said', async () => {
    const client = await rig.openTerminal();
    client.type('stty -echo\r');
    await client.waitFor('ready> ');
    for (const line of ['touch secret-one', 'touch secret-two']) {
      client.type(`${line}\r`);
      await client.waitFor('ready> ');
    }
    client.type('stty echo\r');
    await client.waitFor('ready> ');
    client.type('echo se"en"\r');
    await client.waitFor('seen');
    client.type('exit\r');
    await rig.finished(client);
    const { commands } = rig.ports.row();
    expect(commands.map(({ input }) => input)).toEqual([
      'stty -echo',
      '# 3 lines typed without echo',
      'echo se"en"',
      'exit',
    ]);
    const cast = gunzipSync(await readFile(rig.recordingOf(rig.ports.row()).finished)).toString(
      'utf8',
    );
    expect(cast).toContain('"m", "# 3 lines typed without echo"');
    expect(cast + JSON.stringify(commands)).not.toContain('secret');
  });
});
