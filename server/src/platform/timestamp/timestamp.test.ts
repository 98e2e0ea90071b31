import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type Mischief,
  startTimestampServer,
  type TimestampServer,
} from '../../testing/services/timestamp-server.ts';
import { readAuthorities, requestTimestamp } from './request.ts';

let service: TimestampServer;
beforeAll(async () => {
  service = await startTimestampServer();
});
afterAll(() => service.stop());
beforeEach(() => {
  service.mischief = undefined;
});

const request = () =>
  requestTimestamp(
    { url: service.url, authorities: readAuthorities(service.authority) },
    'the heads of the logs',
  );

it('verifies a token and returns its time and authority', async () => {
  service.time = new Date('2026-11-20T08:00:00Z');
  expect(await request()).toMatchObject({ time: service.time, authority: 'CN=Test timestamps' });
});

it.each([
  ['away', '503'],
  ['rejects', 'granted none'],
  ['other nonce', 'another request'],
  ['other digest', 'another text'],
  ['changed time', 'content was changed'],
  ['other purpose', 'not for timestamps'],
  ['other authority', 'given authority'],
] as const satisfies readonly (readonly [Mischief, string])[])(
  'rejects the answer of an authority: %s',
  async (mischief, problem) => {
    service.mischief = mischief;
    await expect(request()).rejects.toThrow(problem);
  },
);
