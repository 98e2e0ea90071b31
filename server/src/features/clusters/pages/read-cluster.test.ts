import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { LiveVisit } from './live-visit.ts';
import { readAsPage } from './read-cluster.ts';

const RULE = {
  user: 'ada',
  groups: [],
  namespaces: ['*'],
  verbs: ['list'],
  actions: [],
  kinds: [],
};

it('says that a cluster did not answer when the connection breaks within an answer', async () => {
  async function* broken() {
    yield Buffer.from('{"items":');
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  }
  const session = {
    rules: [RULE],
    row: { grant: { asset: { ip: '10.0.0.1', port: 6443 }, systemUser: { name: 'bastion' } } },
    begin: () => new AbortController(),
    done: () => undefined,
    request: async () => Object.assign(Readable.from(broken()), { statusCode: 200 }),
    log: async () => undefined,
  };
  const visit = { session, token: { language: 'en' } } as unknown as LiveVisit;
  const raw = new EventEmitter();
  const reply = { raw } as unknown as Parameters<typeof readAsPage>[1]['reply'];
  const place = { group: '', namespace: '', resource: 'pods' };
  await expect(readAsPage(visit, { reply }, place)).rejects.toMatchObject({
    problem: { code: 'connect_cluster_answer', params: { host: '10.0.0.1:6443' } },
  });
  // Stops the timer of the answer.
  raw.emit('close');
});
