import { user as userResource } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemCaller } from '../../../platform/actor.ts';
import { sql } from '../../../platform/db/sql.ts';
import { engineOf } from '../../../resources/engines.ts';
import { unique } from '../../../testing/builders.ts';
import type { Client } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { applyReading, type ListedPerson } from './reading.ts';

const EVERYBODY = 60;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

let names: string[];
beforeEach(async () => {
  await sql`delete from account where source = 'ldap'`.execute(test.db);
  const prefix = unique('p').replaceAll('-', '.');
  names = Array.from({ length: EVERYBODY }, (_, at) => `${prefix}.${at}`);
  await sql`
    insert into account (username, name, email, source)
    select name, name, name || '@example.com', 'ldap'
    from unnest(${names}::text[]) as n (name)`.execute(test.db);
});

const readList = (people: readonly ListedPerson[], confirmed: Date | null = null) =>
  test.db.transaction((tx) =>
    applyReading('ldap', people, {
      isUnsure: false,
      confirmed,
      began: new Date('2100-01-01'),
      writer: engineOf(test.program.engines, userResource).writer,
      caller: systemCaller('LDAP'),
      tx,
    }),
  );
/** A read of the directory in which only some people have another state, or are missing. */
const read = (
  {
    gone = [],
    disabled = [],
  }: { readonly gone?: readonly string[]; readonly disabled?: readonly string[] },
  confirmed: Date | null = null,
) =>
  readList(
    names
      .filter((name) => !gone.includes(name))
      .map((username) => ({
        username,
        state: disabled.includes(username) ? 'disabled' : 'listed',
      })),
    confirmed,
  );
const shut = async () =>
  (
    await sql<{ username: string }>`
      select username from account where source = 'ldap' and not is_active
      order by date_joined, username`.execute(test.db)
  ).rows.map(({ username }) => username);
const pass = (hours: number) =>
  sql`update account set date_shut_by_source = date_shut_by_source - make_interval(hours => ${hours})`.execute(
    test.db,
  );
const idOf = async (username: string) =>
  (await sql<{ id: string }>`select id from account where username = ${username}`.execute(test.db))
    .rows[0]?.id ?? '';

describe('the limit of a day', () => {
  it('counts people over all reads, however few each one shuts', async () => {
    for (let count = 1; count <= 6; count++)
      expect(await read({ gone: names.slice(0, count) })).toBeUndefined();
    // Six of sixty are ten percent; the seventh is more.
    expect(await read({ gone: names.slice(0, 7) })).toEqual({
      people: [expect.objectContaining({ username: names[6], state: 'gone' })],
      of: EVERYBODY,
      recent: 6,
    });
    expect(await shut()).toHaveLength(6);
  });

  it('counts people that a later read lists again', async () => {
    expect(await read({ gone: names.slice(0, 4) })).toBeUndefined();
    expect(await read({ disabled: names.slice(4, 6) })).toBeUndefined();
    expect(await shut()).toEqual([...names.slice(4, 6)].toSorted());
    expect(await read({ disabled: names.slice(6, 9) })).toMatchObject({ recent: 6, of: EVERYBODY });
    expect(await shut()).toEqual([...names.slice(4, 6)].toSorted());
  });

  it('starts again after a day, and after an administrator confirmed a read', async () => {
    await read({ gone: names.slice(0, 6) });
    await pass(23);
    expect(await read({ gone: names.slice(0, 7) })).toMatchObject({ recent: 6 });
    await pass(2);
    expect(await read({ gone: names.slice(0, 9) })).toBeUndefined();
    expect(await read({ gone: names.slice(0, 13) })).toMatchObject({ recent: 3 });
    expect(await read({ gone: names.slice(0, 13) }, new Date())).toBeUndefined();
    expect(await shut()).toHaveLength(13);
  });

  it('leaves out people who had no access before', async () => {
    await read({ disabled: names.slice(0, 6) });
    await pass(48);
    // The directory deletes entries that it disabled long ago.
    expect(await read({ gone: names.slice(0, 6) })).toBeUndefined();
    expect(await read({ gone: names.slice(0, 8) })).toBeUndefined();
    expect(await shut()).toHaveLength(8);
  });
});

describe('an account that an administrator disabled', () => {
  const states = async (username: string) => {
    const { rows } = await sql<{ is_active: boolean; source_state: string }>`
      select is_active, source_state from account where username = ${username}`.execute(test.db);
    return rows[0];
  };

  it('stays disabled when the directory disables and lists the user again', async () => {
    const [name = ''] = names;
    const address = `users/users/${await idOf(name)}/`;
    expect((await admin.patch(address, { is_active: false })).status).toBe(200);
    await read({ disabled: [name] });
    await read({});
    expect(await states(name)).toEqual({ is_active: false, source_state: 'listed' });
  });

  it('stays disabled when the directory had disabled it before', async () => {
    const [name = ''] = names;
    await read({ disabled: [name] });
    const { status, body } = await admin.patch(`users/users/${await idOf(name)}/`, {
      is_active: false,
    });
    expect([status, body]).toMatchObject([200, { is_active: false }]);
    await read({});
    expect(await states(name)).toEqual({ is_active: false, source_state: 'listed' });
  });

  it('stays disabled when offboarding found it disabled by the directory', async () => {
    const [name = '', other = ''] = names;
    await read({ disabled: [name, other] });
    const { status, text } = await admin.post(`users/users/${await idOf(name)}/offboarding/`, {
      way: 'disable',
      reason: 'left the company',
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    await read({});
    expect([await states(name), await states(other)]).toEqual([
      { is_active: false, source_state: 'listed' },
      { is_active: true, source_state: 'listed' },
    ]);
  });
});

describe('two entries with the name of an account', () => {
  /** Reads these entries for the first name, whose account has an id, and the others as listed. */
  const readEntries = async (...entries: readonly Pick<ListedPerson, 'key' | 'state'>[]) => {
    const [first = '', ...others] = names;
    const listed = (username: string) => ({ username, state: 'listed' }) as const;
    await readList([
      ...others.map(listed),
      ...entries.map((entry) => ({ ...listed(first), ...entry })),
    ]);
    return (await shut()).length;
  };
  const keyOf = async () =>
    (
      await sql<{ source_key: string | null }>`select source_key from source_proof
        where user_id = ${await idOf(names[0] ?? '')}`.execute(test.db)
    ).rows[0]?.source_key;

  it('shuts the account if neither is its person', async () => {
    expect(await readEntries({ key: 'guid:1' })).toBe(0);
    expect(await readEntries({ key: 'guid:2' }, { key: 'guid:3' })).toBe(1);
    expect(await readEntries({ key: 'guid:1' }, { key: 'guid:3' })).toBe(0);
    expect(await keyOf()).toBe('guid:1');
  });

  it('shuts the account if both are shut, and changes nothing if one is listed', async () => {
    expect(await readEntries({ state: 'disabled' }, { state: 'listed' })).toBe(0);
    expect(await readEntries({ state: 'disabled', key: 'guid:5' }, { state: 'expired' })).toBe(1);
    expect(await keyOf()).toBeNull();
    expect(await readEntries({ state: 'disabled' }, { state: 'listed' })).toBe(1);
  });

  it('follows the entry that has its id, whatever the name is now', async () => {
    expect(await readEntries({ key: 'guid:7' })).toBe(0);
    const [, ...others] = names;
    const renamed = { username: unique('renamed'), key: 'guid:7', state: 'disabled' } as const;
    const stranger = { username: names[0] ?? '', key: 'guid:8' };
    await readList([...others.map((username) => ({ username })), renamed, stranger]);
    expect(await shut()).toHaveLength(1);
    expect(await keyOf()).toBe('guid:7');
  });
});
