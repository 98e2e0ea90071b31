import { describe, expect, it } from 'vitest';
import { type ConnectionState, IDLE, isLive, nextConnectionState } from './connection-state.ts';

const hear = (
  state: ConnectionState,
  message: Parameters<typeof nextConnectionState>[1] & { type: 'server' },
) => nextConnectionState(state, message);
const server = (
  message: (Parameters<typeof nextConnectionState>[1] & { type: 'server' })['message'],
) => ({ type: 'server', message, now: 5 }) as const;

describe('the state of a connection', () => {
  it('walks from the dial over every stage to the open shell', () => {
    let state = nextConnectionState(IDLE, { type: 'dial' });
    expect(state).toEqual({ phase: 'connecting', stage: 'checking', host: null, gateway: false });
    state = hear(state, server({ type: 'stage', stage: 'gateway', host: 'gate-1' }));
    expect(state).toMatchObject({ stage: 'gateway', host: 'gate-1', gateway: true });
    state = hear(state, server({ type: 'stage', stage: 'connecting', host: 'web-1' }));
    expect(state).toMatchObject({ stage: 'connecting', gateway: true });
    state = hear(state, server({ type: 'need_credentials', username: 'ops', reason: 'manual' }));
    expect(state).toEqual({ phase: 'credentials', username: 'ops', reason: 'manual' });
    state = nextConnectionState(state, { type: 'answered' });
    expect(state).toMatchObject({ phase: 'connecting', stage: 'authenticating' });
    state = hear(
      state,
      server({ type: 'open', session: 's', asset: 'web-1', account: 'ops', keeps: 300, old: '' }),
    );
    expect(state).toEqual({
      phase: 'open',
      session: 's',
      asset: 'web-1',
      account: 'ops',
      since: 5,
      keeps: 300,
      old: '',
    });
    expect(isLive(state)).toBe(true);
  });

  it('keeps the first reason of an end, and the session that ended', () => {
    const open: ConnectionState = {
      phase: 'open',
      session: 's',
      asset: 'a',
      account: 'b',
      since: 1,
      keeps: 0,
      old: '',
    };
    const closed = hear(
      open,
      server({ type: 'closed', code: 'session_idle', message: 'Idle.', retry: true }),
    );
    expect(closed).toEqual({
      phase: 'closed',
      code: 'session_idle',
      message: 'Idle.',
      retry: true,
      session: 's',
      stage: null,
    });
    expect(nextConnectionState(closed, { type: 'gone', opened: true, now: 9 })).toBe(closed);
    expect(isLive(closed)).toBe(false);
  });

  it('tells a connection that never was open from one that was lost', () => {
    const dialling = nextConnectionState(IDLE, { type: 'dial' });
    expect(nextConnectionState(dialling, { type: 'gone', opened: false, now: 9 })).toMatchObject({
      code: 'line_refused',
      stage: 'checking',
      retry: true,
    });
    expect(nextConnectionState(dialling, { type: 'gone', opened: true, now: 9 })).toMatchObject({
      code: 'line_lost',
      message: null,
    });
  });

  it('keeps a shell without connection as long as the server does, and continues it', () => {
    const open: ConnectionState = {
      phase: 'open',
      session: 's',
      asset: 'a',
      account: 'b',
      since: 1,
      keeps: 60,
      old: '',
    };
    const away = nextConnectionState(open, { type: 'gone', opened: true, now: 1000 });
    expect(away).toMatchObject({
      phase: 'away',
      session: 's',
      lostAt: 1000,
      until: 61_000,
      shell: { asset: 'a', account: 'b' },
    });
    expect(isLive(away)).toBe(true);
    expect(nextConnectionState(away, { type: 'gone', opened: false, now: 2000 })).toBe(away);
    const back = hear(away, {
      ...server({
        type: 'resumed',
        session: 's',
        asset: 'a',
        account: 'b',
        keeps: 60,
        old: '',
        typed: 0,
        screen: false,
        position: 0,
        age: 4,
      }),
      now: 5000,
    });
    expect(back).toEqual({
      phase: 'open',
      session: 's',
      asset: 'a',
      account: 'b',
      since: 1000,
      keeps: 60,
      old: '',
    });
    expect(nextConnectionState(away, { type: 'expired' })).toMatchObject({
      phase: 'closed',
      code: 'line_lost',
      session: 's',
    });
    expect(
      nextConnectionState({ ...open, keeps: 0 }, { type: 'gone', opened: true, now: 1 }),
    ).toMatchObject({ phase: 'closed', code: 'line_lost' });
  });

  it('dials again after the end', () => {
    const closed = nextConnectionState(nextConnectionState(IDLE, { type: 'dial' }), {
      type: 'gone',
      opened: false,
      now: 9,
    });
    expect(nextConnectionState(closed, { type: 'dial' })).toMatchObject({
      phase: 'connecting',
      stage: 'checking',
    });
  });
});
