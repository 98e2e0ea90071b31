import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor, PERSON } from '../testing/gateway/memory-ports.ts';
import { keyLogin } from '../testing/ssh/shell.ts';
import { startSshServer } from '../testing/ssh/ssh-server.ts';

const rig = gatewayRig();

describe('the end of a session', () => {
  it('ends a session when an administrator terminates it, and shows the name', async () => {
    const client = await rig.openTerminal();
    expect(rig.server.gateway.hub.terminate(rig.ports.row().session.id, 'Boss')).toBe(true);
    expect(await client.message('closed')).toMatchObject({
      code: 'session_terminated',
      message: 'An administrator ended this session: Boss.',
    });
    expect(await rig.finished(client)).toMatchObject({
      reason: 'session_terminated',
      replayState: 'finished',
    });
    expect(rig.server.gateway.hub.terminate(rig.ports.row().session.id, 'Boss')).toBe(false);
  });

  it('shows the reason when an administrator terminates a session with one', async () => {
    const client = await rig.openTerminal();
    expect(
      rig.server.gateway.hub.terminate(
        rig.ports.row().session.id,
        'Boss',
        'The server goes down for maintenance.',
      ),
    ).toBe(true);
    const message =
      'An administrator ended this session: Boss. Reason: The server goes down for maintenance.';
    expect(await client.message('closed')).toMatchObject({ code: 'session_terminated', message });
    expect(await rig.finished(client)).toMatchObject({ reason: 'session_terminated' });
  });

  it('ends the sessions of a sign-in that signs out, and no others', async () => {
    const client = await rig.openTerminal();
    rig.server.gateway.hub.signOut('another');
    client.type('echo still here\r');
    await client.waitFor('\rstill here');
    rig.server.gateway.hub.signOut('login1');
    expect(await client.message('closed')).toMatchObject({
      code: 'session_signed_out',
      retry: false,
    });
  });

  it('ends a session when its permission is revoked', async () => {
    const client = await rig.openTerminal();
    await rig.server.gateway.hub.recheck();
    rig.ports.grant = undefined;
    await rig.server.gateway.hub.recheck((info) => info.person.userId === 'somebody else');
    expect(rig.server.gateway.hub.counts().sessions).toBe(1);
    await rig.server.gateway.hub.recheck((info) => info.person.userId === PERSON.userId);
    expect(await client.message('closed')).toMatchObject({ code: 'connect_expired' });
  });

  it('ends a session when its permission expires, unless another permission allows it', async () => {
    const soon = () => new Date(Date.now() + 400);
    rig.ports.grant = { ...grantFor(rig.sshd), validUntil: soon() };
    const client = await rig.openTerminal();
    rig.ports.grant = { ...grantFor(rig.sshd), validUntil: soon() };
    const { check } = rig.ports.access;
    let checks = 0;
    Object.assign(rig.ports.access, {
      check: (...words: Parameters<typeof check>) => {
        checks++;
        return check(...words);
      },
    });
    await client.until('the second look at the permission', () => (checks > 0 ? true : undefined));
    expect(rig.server.gateway.hub.counts().sessions).toBe(1);
    rig.ports.grant = undefined;
    expect(await client.message('closed')).toMatchObject({ code: 'connect_expired' });
  });

  it('ends an idle session, and one that is too long', async () => {
    rig.ports.limitValues = {
      ...rig.ports.limitValues,
      idleMinutes: 0.005,
      maximumHours: 24,
      connectSeconds: 10,
    };
    // The limits start with the recording, so a slow machine may never see a prompt.
    const idle = await rig.connect();
    expect(await idle.message('closed')).toMatchObject({ code: 'session_idle' });
    rig.ports.limitValues = {
      ...rig.ports.limitValues,
      idleMinutes: 30,
      maximumHours: 1 / 3600 / 2,
      connectSeconds: 10,
    };
    const long = await rig.connect();
    expect(await long.message('closed')).toMatchObject({ code: 'session_too_long' });
  });

  it('applies shortened limits to open sessions', async () => {
    const idle = await rig.openTerminal();
    rig.server.gateway.hub.setLimits({
      ...rig.ports.limitValues,
      idleMinutes: 0.005,
      maximumHours: 24,
      connectSeconds: 10,
    });
    expect(await idle.message('closed')).toMatchObject({ code: 'session_idle' });
    const other = await rig.openTerminal();
    rig.server.gateway.hub.setLimits({
      ...rig.ports.limitValues,
      idleMinutes: 30,
      maximumHours: 1 / 3600 / 100,
      connectSeconds: 10,
    });
    expect(await other.message('closed')).toMatchObject({ code: 'session_too_long' });
  });

  it('ends a session when its target crashes', async () => {
    const fragile = await startSshServer();
    try {
      await writeFile(join(fragile.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
      rig.ports.grant = grantFor(fragile);
      rig.ports.login = keyLogin(fragile);
      const client = await rig.openTerminal();
      await fragile.kill();
      expect(await client.message('closed')).toMatchObject({
        code: 'connect_target_lost',
        retry: true,
      });
      expect(await rig.finished(client)).toMatchObject({ success: true, replayState: 'finished' });
    } finally {
      await fragile.stop();
    }
  });

  it('rejects new sessions while leaving, and waits for open ones', async () => {
    const { gateway } = rig.server;
    const client = await rig.openTerminal();
    let hasLeft = false;
    const leaving = gateway.leave(10).then(() => {
      hasLeft = true;
    });
    expect(await (await rig.connect()).message('closed')).toMatchObject({
      code: 'session_server_stopping',
    });
    client.type('echo still here\r');
    await client.waitFor('\rstill here');
    expect(hasLeft).toBe(false);
    client.type('exit\r');
    await leaving;
    expect(await rig.finished(client)).toMatchObject({
      reason: 'connect_target_closed',
      replayState: 'finished',
    });
  });

  it('stops waiting for open sessions after the time limit', async () => {
    const client = await rig.openTerminal();
    await rig.server.gateway.leave(0.001);
    expect(rig.server.gateway.hub.counts().sessions).toBe(1);
    await rig.server.gateway.drain();
    expect(await client.message('closed')).toMatchObject({ code: 'session_server_stopping' });
  });

  it('finishes all recordings before the server stops', async () => {
    const client = await rig.openTerminal();
    await rig.server.gateway.drain();
    expect(rig.ports.row().end).toMatchObject({
      reason: 'session_server_stopping',
      replayState: 'finished',
    });
    expect(await client.message('closed')).toMatchObject({ code: 'session_server_stopping' });
    const late = await rig.connect();
    expect(await late.message('closed')).toMatchObject({ code: 'session_server_stopping' });
    expect(await readdir(rig.recordingOf(rig.ports.row()).folder)).toEqual([
      `${rig.ports.row().session.id}.cast.gz`,
    ]);
  });
});
