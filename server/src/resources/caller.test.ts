import { asset, label } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemCaller } from '../platform/actor.ts';
import { sql } from '../platform/db/sql.ts';
import { buildOrganization, unique } from '../testing/builders.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { engineOf } from './engines.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const assets = () => engineOf(test.program.engines, asset);
const labels = () => engineOf(test.program.engines, label);
const entries = async (resource: unknown) =>
  (
    await sql<{
      user: string;
      action: string;
      org_id: string;
    }>`select "user", action, org_id from operate_log where resource = ${resource}`.execute(test.db)
  ).rows;

describe('a part of the program without a request', () => {
  it('writes by the rules of the resource, and the log names the program', async () => {
    const organization = { id: await buildOrganization(test.db), name: 'branch' };
    const caller = systemCaller('LDAP', '192.0.2.1', organization);
    const hostname = unique('synced');
    const row = await assets().writer.create(
      { hostname, ip: '192.0.2.7', platform: 'Linux' },
      caller,
    );
    expect(row).toMatchObject({
      hostname,
      org_id: organization.id,
      protocols: ['ssh/22'],
      created_by: 'LDAP',
    });
    expect(await entries(hostname)).toEqual([
      { user: 'LDAP', action: 'create', org_id: organization.id },
    ]);
    expect(
      await assets().reader.list(new URLSearchParams({ search: hostname }), caller),
    ).toHaveLength(1);
    expect(
      await assets().reader.list(new URLSearchParams({ search: hostname }), systemCaller('LDAP')),
    ).toEqual([]);
    await expect(
      assets().writer.create(
        { hostname: unique('bad'), ip: '192.0.2.7', platform: 'Plan 9' },
        caller,
      ),
    ).rejects.toMatchObject({ kind: 'rejected' });
  });

  it('reports problems by item, and writes nothing of the batch', async () => {
    const [good, caller] = [unique('good'), systemCaller('System')];
    const outcome = await labels().writer.save(
      [
        { body: { name: good, value: 'x' }, mode: 'create' },
        { body: { name: '' }, mode: 'create' },
        { id: crypto.randomUUID(), body: { comment: 'x' }, mode: 'change' },
      ],
      caller,
    );
    expect(outcome).toMatchObject({ ok: false, missing: [false, false, true] });
    expect(outcome.ok ? [] : outcome.problems.map((problems) => Object.keys(problems))).toEqual([
      [],
      ['name', 'value'],
      ['id'],
    ]);
    expect(await labels().reader.list(new URLSearchParams({ name: good }), caller)).toEqual([]);
  });

  it('rehearses a batch and reports progress', async () => {
    const name = unique('tried');
    const seen: [number, number][] = [];
    const drafts = Array.from({ length: 40 }, (_, row) => ({
      body: { name, value: String(row) },
      mode: 'create' as const,
    }));
    const job = {
      signal: new AbortController().signal,
      progress: (...step: [number, number]) => void seen.push(step),
      once: async () => true,
    };
    const outcome = await labels().writer.save(drafts, systemCaller('System'), {
      dryRun: true,
      job,
    });
    expect(outcome).toMatchObject({ ok: true, rows: { length: 40 } });
    expect(
      await labels().reader.list(new URLSearchParams({ name }), systemCaller('System')),
    ).toEqual([]);
    expect(seen.at(-1)).toEqual([40, 40]);
    expect(seen.map(([done]) => done)).toEqual(
      seen.map(([done]) => done).toSorted((one, other) => one - other),
    );
  });

  it('joins an open transaction and rolls back with it', async () => {
    const name = unique('inner');
    const opened = test.db.transaction(async (tx) => {
      await labels().writer.create({ name, value: 'x' }, systemCaller('OpenID'), { tx });
      throw new Error('taken back');
    });
    await expect(opened).rejects.toThrow('taken back');
    expect(
      await labels().reader.list(new URLSearchParams({ name }), systemCaller('OpenID')),
    ).toEqual([]);
    expect(await entries(name)).toEqual([]);
  });
});
