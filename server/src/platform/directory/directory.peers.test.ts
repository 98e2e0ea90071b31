import { createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { FilterParser } from 'ldapts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import {
  CONTRACTORS,
  manyPeople,
  PEOPLE,
  passwordOf,
  READER,
  type Slapd,
  SUFFIX,
  startSlapd,
} from '../../testing/services/slapd.ts';
import type { DirectoryConfig } from './connection.ts';
import { checkPerson, escapeFilterValue, filterOf, listPeople } from './directory.ts';
import { DirectoryError } from './trace.ts';

let slapd: Slapd;
let stranger: Slapd;
beforeAll(async () => {
  const odd = [
    { uid: 'li.wei', cn: '李伟', mail: 'li.wei@example.com' },
    { uid: 'a*b(c)\\d', cn: 'Odd', mail: 'odd@example.com' },
    { uid: 'twice', mail: 'twice1@example.com' },
    { uid: 'twice', mail: 'twice2@example.com', base: CONTRACTORS },
  ];
  slapd = await startSlapd([...manyPeople(2_000), ...odd]);
  stranger = await startSlapd([], { names: 'DNS:elsewhere.example.com' });
});
afterAll(() => Promise.all([slapd.stop(), stranger.stop()]));

const config = (more: Partial<DirectoryConfig> = {}): DirectoryConfig => ({
  uri: slapd.url,
  startTls: false,
  bindDn: READER.dn,
  bindPassword: READER.password,
  bases: [PEOPLE, CONTRACTORS],
  filter: '(uid=%(user)s)',
  attributes: { username: 'uid', name: 'cn', email: 'mail' },
  authorities: slapd.authorities,
  ...more,
});

const failure = async (work: Promise<unknown>): Promise<DirectoryError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DirectoryError))
    throw new Error(`no refusal of a directory: ${String(error)}`);
  return error;
};
/**
 * Returns the log up to now. The directory answers before its log is written, so a search for a
 * unique name marks the current position.
 */
const logUntilNow = async (directory: Slapd): Promise<string> => {
  const mark = crypto.randomUUID();
  await failure(
    checkPerson(config({ uri: directory.url, authorities: directory.authorities }), mark, 'x'),
  );
  await until(() => directory.log().includes(mark), 'the log has the mark');
  return directory.log();
};
const steps = (error: DirectoryError) =>
  error.steps.map(({ step, ok }) => `${step} ${ok ? 'ok' : 'failed'}`);

describe('listing people', () => {
  it('lists people of all pages and search bases', async () => {
    const {
      result: { people: result },
      steps: taken,
    } = await listPeople(config());
    expect(result).toHaveLength(2_004);
    expect(result.find(({ username }) => username === 'li.wei')).toMatchObject({
      name: '李伟',
      email: 'li.wei@example.com',
    });
    expect(taken.map(({ step }) => step)).toEqual(['connect', 'bind', 'search', 'match']);
    expect((await listPeople(config({ bases: [CONTRACTORS] }))).result.people).toHaveLength(501);
  });

  it('counts a person below two search bases once', async () => {
    expect((await listPeople(config({ bases: [SUFFIX, PEOPLE] }))).result.people).toHaveLength(
      2_004,
    );
  });

  it('stops when the signal aborts', async () => {
    const stop = new AbortController();
    const onPage = async () => stop.abort();
    expect((await failure(listPeople(config(), { signal: stop.signal, onPage }))).message).toBe(
      'Stopped',
    );
  });
});

describe('checking a person', () => {
  it('checks a password with the same steps and a bind as the user', async () => {
    const { result, steps: taken } = await checkPerson(config(), 'li.wei', passwordOf('li.wei'));
    expect(result).toMatchObject({ username: 'li.wei', dn: `uid=li.wei,${PEOPLE}` });
    expect(taken.map(({ step }) => step)).toEqual([
      'connect',
      'bind',
      'search',
      'match',
      'user_bind',
    ]);
    expect(
      (await checkPerson(config(), 'person1900', passwordOf('person1900'))).result.dn,
    ).toContain(CONTRACTORS);
  });

  it('rejects a wrong password, an unknown name and an ambiguous name', async () => {
    for (const [name, password, step, refusal] of [
      ['li.wei', 'wrong', 'user_bind', 'wrong_password'],
      ['nobody', 'x', 'match', 'unknown_name'],
      ['twice', passwordOf('twice'), 'match', 'ambiguous'],
    ] as const) {
      const error = await failure(checkPerson(config(), name, password));
      expect([error.step, error.refusal]).toEqual([step, refusal]);
    }
  });

  it('rejects a blank password, which the directory itself would accept', async () => {
    const error = await failure(checkPerson(config(), 'li.wei', ''));
    expect([error.step, error.refusal]).toEqual(['user_bind', 'wrong_password']);
    const before = (await logUntilNow(slapd)).length;
    expect((await failure(listPeople(config({ bindPassword: '' })))).step).toBe('settings');
    // No bind was sent.
    expect(slapd.log().slice(before)).not.toMatch(/ BIND /);
  });

  it('escapes filter characters in a username', async () => {
    for (const name of [
      '*',
      'li*',
      'li.wei)(uid=*',
      '*)(objectClass=*',
      'li.wei\u0000',
      '\\6ci.wei',
      '$&',
      ')(|(uid=*',
    ]) {
      const error = await failure(checkPerson(config(), name, passwordOf('li.wei')));
      expect([name, error.step]).toEqual([name, 'match']);
    }
    const odd = 'a*b(c)\\d';
    expect((await checkPerson(config(), odd, passwordOf(odd))).result.username).toBe(odd);
  });
});

describe('the filter', () => {
  it('keeps any username a single value of the filter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        const filter = FilterParser.parseString(
          filterOf('(&(objectClass=person)(uid=%(user)s))', `x${name}`),
        );
        expect(filter).toMatchObject({
          filters: [{ value: 'person' }, { attribute: 'uid', value: `x${name}` }],
        });
      }),
    );
    expect(escapeFilterValue('(*)\\\0')).toBe('\\28\\2a\\29\\5c\\00');
  });
});

describe('what is in the way', () => {
  it('reports the step that failed', async () => {
    const cases: readonly (readonly [Partial<DirectoryConfig>, string[]])[] = [
      [{ uri: 'http://127.0.0.1' }, ['settings failed']],
      [{ uri: 'ldap://127.0.0.1:1' }, ['connect failed']],
      [{ bindPassword: 'wrong hunter3' }, ['connect ok', 'bind failed']],
      [{ bindDn: '', bindPassword: '' }, ['connect ok', 'bind ok', 'search failed']],
      [{ bases: [] }, ['connect ok', 'bind ok', 'search failed']],
      [{ bases: [`ou=nowhere,${SUFFIX}`] }, ['connect ok', 'bind ok', 'search failed']],
      [{ filter: '(uid=li.wei)' }, ['connect ok', 'bind ok', 'search failed']],
      [{ filter: '(uid=%(user)s' }, ['connect ok', 'bind ok', 'search failed']],
      [{ attributes: { username: 'uid' } }, ['connect ok', 'bind ok', 'search failed']],
      [
        { filter: '(employeeNumber=%(user)s)' },
        ['connect ok', 'bind ok', 'search ok', 'match failed'],
      ],
    ];
    for (const [change, expected] of cases) {
      const error = await failure(listPeople(config(change)));
      expect([change, steps(error)]).toEqual([change, expected]);
      expect(error.message).not.toMatch(/hunter|^$/);
    }
  });
});

describe('a directory with a part on another server', () => {
  const elsewhere = `ou=elsewhere,${SUFFIX}`;
  const reference = `ldap://192.0.2.1/${elsewhere}`;
  beforeAll(() =>
    slapd.change((directory) =>
      directory.add(elsewhere, {
        objectClass: ['referral', 'extensibleObject'],
        ou: 'elsewhere',
        ref: reference,
      }),
    ),
  );

  it('names the other server when it has no entry itself, and signs in its own people', async () => {
    const whole = config({ bases: [SUFFIX] });
    const error = await failure(checkPerson(whole, 'nobody', 'wrong hunter2'));
    expect([error.refusal, error.message]).toEqual([
      'unknown_name',
      expect.stringContaining(`; not searched: ${reference}`),
    ]);
    const checked = await checkPerson(whole, 'li.wei', passwordOf('li.wei'));
    expect(checked.result.username).toBe('li.wei');
    expect((await listPeople(whole)).result.isPartial).toBe(true);
  });

  it('names the referral when the whole search base is on the other server', async () => {
    const error = await failure(
      checkPerson(config({ bases: [elsewhere] }), 'li.wei', 'wrong hunter2'),
    );
    expect([error.step, error.refusal, error.message]).toEqual([
      'search',
      undefined,
      expect.stringContaining('Referral to another server'),
    ]);
  });
});

describe('encryption', () => {
  it('encrypts from the first byte and by STARTTLS', async () => {
    const secure = await checkPerson(
      config({ uri: slapd.secureUrl }),
      'li.wei',
      passwordOf('li.wei'),
    );
    expect(secure.steps.map(({ step }) => step)).toEqual([
      'connect',
      'tls',
      'bind',
      'search',
      'match',
      'user_bind',
    ]);
    const started = await checkPerson(config({ startTls: true }), 'li.wei', passwordOf('li.wei'));
    expect(started.steps[1]).toMatchObject({ step: 'tls', ok: true, detail: 'TLSv1.3' });
  });

  it('sends no bind to a directory with an untrusted certificate or another host name', async () => {
    for (const change of [
      { authorities: undefined },
      { uri: stranger.url, authorities: stranger.authorities },
    ] as const) {
      const uri = change.authorities ? stranger : slapd;
      for (const more of [{ uri: uri.url, startTls: true }, { uri: uri.secureUrl }]) {
        const before = (await logUntilNow(uri)).length;
        const error = await failure(listPeople(config({ ...change, ...more })));
        expect(steps(error)).toEqual(['connect ok', 'tls failed']);
        expect(error.message).toMatch(/certificate|altnames/i);
        expect(uri.log().slice(before)).not.toMatch(/ BIND /);
      }
    }
  });
});

describe('a directory that does not answer', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('closes a connection to a directory that does not answer', async () => {
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const error = await failure(
      checkPerson(config({ uri: `ldap://127.0.0.1:${port}` }), 'li.wei', 'x'),
    );
    expect([error.step, error.refusal]).toEqual(['bind', undefined]);
  });
});
