import { describe, expect, it } from 'vitest';
import { screenOf } from './location.ts';

const ID = '0193f7f2-8d2e-7c3a-9b1e-2f6a4c5d6e7f';

describe('the addresses of the terminal pages', () => {
  it('knows the window, with and without an asset to connect to', () => {
    expect(screenOf('/luna/', '')).toEqual({
      kind: 'workspace',
      loginTo: null,
      wish: { kind: 'usual' },
      single: false,
    });
    expect(screenOf('/luna', '?_=123')).toMatchObject({ kind: 'workspace' });
    expect(screenOf('/luna/', `?login_to=${ID}&type=asset`)).toEqual({
      kind: 'workspace',
      loginTo: ID,
      wish: { kind: 'usual' },
      single: false,
    });
    expect(screenOf('/luna/connect', `?asset=${ID}`)).toEqual({
      kind: 'workspace',
      loginTo: ID,
      wish: { kind: 'usual' },
      single: true,
    });
  });

  it('knows the account to connect with, or that one is to be chosen', () => {
    expect(screenOf('/luna/', `?login_to=${ID}&account=${ID}`)).toMatchObject({
      wish: { kind: 'one', id: ID },
    });
    expect(screenOf('/luna/', `?login_to=${ID}&account=choose`)).toMatchObject({
      wish: { kind: 'choose' },
    });
    expect(screenOf('/luna/', `?login_to=${ID}&account=root`)).toMatchObject({
      wish: { kind: 'usual' },
    });
  });

  it('knows the applications, and takes no other kind of them', () => {
    expect(screenOf('/luna/', `?type=remote_app&login_to=${ID}`)).toEqual({
      kind: 'remote-app',
      app: ID,
    });
    expect(screenOf('/luna/', `?type=database_app&login_to=${ID}`)).toEqual({
      kind: 'query',
      app: ID,
    });
    const pod = 'namespace=team-a&pod=web-0&container=main';
    const place = { namespace: 'team-a', name: 'web-0', container: 'main' };
    expect(screenOf('/luna/', `?type=cluster&login_to=${ID}&${pod}&account=${ID}`)).toEqual({
      kind: 'pod',
      cluster: ID,
      account: ID,
      pod: { ...place, shell: 'sh' },
    });
    expect(screenOf('/luna/', `?type=cluster&login_to=${ID}&${pod}&shell=bash`)).toMatchObject({
      pod: { ...place, shell: 'bash' },
    });
    expect(screenOf('/luna/', `?type=cluster&login_to=${ID}&namespace=a&pod=b`)).toMatchObject({
      kind: 'workspace',
    });
    expect(screenOf('/luna/', '?type=remote_app&login_to=x')).toMatchObject({
      kind: 'workspace',
      loginTo: null,
    });
  });

  it('knows watching and replaying', () => {
    expect(screenOf('/luna/join/', `?shareroom=${ID}`)).toEqual({ kind: 'watch', session: ID });
    expect(screenOf('/luna/connect', `?shareroom=${ID}`)).toEqual({ kind: 'watch', session: ID });
    expect(screenOf(`/luna/replay/${ID}`, '')).toEqual({ kind: 'replay', session: ID, at: 0 });
    expect(screenOf(`/luna/replay/${ID.toUpperCase()}/`, '?at=75')).toEqual({
      kind: 'replay',
      session: ID,
      at: 75,
    });
    for (const at of ['-1', '1e9', '99999999', 'x', ''])
      expect(screenOf(`/luna/replay/${ID}`, `?at=${at}`)).toMatchObject({ at: 0 });
  });

  it('knows the file manager, with and without an asset', () => {
    expect(screenOf('/koko/elfinder/sftp/', '')).toEqual({ kind: 'files', asset: null });
    expect(screenOf(`/koko/elfinder/sftp/${ID}/`, '?lang=en')).toEqual({
      kind: 'files',
      asset: ID,
    });
    expect(screenOf('/luna/sftp', '')).toEqual({ kind: 'files', asset: null });
  });

  it('takes nothing but an id for an id', () => {
    expect(screenOf('/koko/elfinder/sftp/../x/', '')).toEqual({ kind: 'files', asset: null });
    expect(screenOf('/luna/', '?login_to=../../x')).toMatchObject({ loginTo: null });
    expect(screenOf('/luna/join/', '?shareroom=x')).toEqual({ kind: 'unknown' });
    expect(screenOf('/luna/replay/../secrets', '')).toEqual({ kind: 'unknown' });
    expect(screenOf('/luna/other', '')).toEqual({ kind: 'unknown' });
  });
});
