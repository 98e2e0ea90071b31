import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseAddress, databaseUrlProblem, hostLabel, withDatabaseName } from './hosts.ts';

const read = (url: string) => databaseAddress(url).hosts.map((host) => new pg.Client(host.url));
const labels = (url: string) => databaseAddress(url).hosts.map(hostLabel);

describe('databaseAddress', () => {
  it('leaves a URL with one host as it is', () => {
    for (const url of [
      'postgres://a:b@db/x?sslmode=verify-full',
      'postgresql:///x?host=/run/postgresql&user=a',
      'postgresql://a@[::1]:5433/x',
    ]) {
      const { hosts, mustWrite, connectMilliseconds } = databaseAddress(url);
      expect(hosts.map((host) => host.url)).toEqual([url]);
      expect({ mustWrite, connectMilliseconds }).toEqual({ mustWrite: false });
    }
  });

  it('gives each host its own port, and the account, database and parameters of the URL', () => {
    const url =
      'postgresql://us%40er:p%40ss%2Fw%3Frd%23%2C%3A%20%C3%A9@a:5433,b,[fd00::1]:6000/x?application_name=y%20z';
    expect(labels(url)).toEqual(['a:5433', 'b:5432', '[fd00::1]:6000']);
    expect(read(url)).toMatchObject(
      [
        ['a', 5433],
        ['b', 5432],
        ['fd00::1', 6000],
      ].map(([host, port]) => ({
        host,
        port,
        user: 'us@er',
        password: 'p@ss/w?rd#,: é',
        database: 'x',
      })),
    );
  });

  it('reads hosts and ports from parameters', () => {
    expect(labels('postgresql:///x?host=a,b&port=5433,5434')).toEqual(['a:5433', 'b:5434']);
    expect(labels('postgresql:///x?host=a,b&port=5433')).toEqual(['a:5433', 'b:5433']);
    expect(labels('postgresql://c,d/x?port=5433,5434')).toEqual(['c:5433', 'd:5434']);
    expect(labels('postgresql:///x?host=/run/a,/run/b')).toEqual(['/run/a', '/run/b']);
    expect(read('postgresql:///x?host=a,b&port=5433,5434&user=c')).toMatchObject([
      { host: 'a', port: 5433, user: 'c', database: 'x' },
      { host: 'b', port: 5434, user: 'c', database: 'x' },
    ]);
  });

  it('requires writes from one of several hosts unless the URL says otherwise', () => {
    const mustWrite = (url: string) => databaseAddress(url).mustWrite;
    expect(mustWrite('postgresql://a,b/x')).toBe(true);
    expect(mustWrite('postgresql://a,b/x?target_session_attrs=any')).toBe(false);
    for (const attributes of ['read-write', 'primary'])
      expect(mustWrite(`postgresql://a/x?target_session_attrs=${attributes}`)).toBe(true);
  });

  it('limits the time of a host, by default with several hosts only', () => {
    const limit = (url: string) => databaseAddress(url).connectMilliseconds;
    expect(limit('postgresql://a,b/x')).toBe(5_000);
    expect(limit('postgresql://a,b/x?connect_timeout=2')).toBe(2_000);
    expect(limit('postgresql://a/x?connect_timeout=2')).toBe(2_000);
    expect(limit('postgresql://a,b/x?connect_timeout=0')).toBeUndefined();
  });
});

it.each([
  ['db.example.com', 'is not a URL'],
  ['mysql://a/x', 'begins with mysql: instead of postgres: or postgresql:'],
  ['postgresql://a:54x2/x', 'is not a URL'],
  ['postgresql://a:1,b:70000/x', 'names a wrong host: b:70000'],
  ['postgresql://u:secret@a,b:5x/x', 'names a wrong host: b:5x'],
  ['postgresql://a,,b/x', 'names an empty host'],
  ['postgresql://a,b,/x', 'names an empty host'],
  ['postgresql://a,b/x?port=1,2,3', 'names 3 ports for 2 hosts'],
  [
    'postgresql://a,b/x?connect_timeout=fast',
    'has a connect_timeout that is not a number of seconds',
  ],
  [
    'postgresql://a,b/x?target_session_attrs=standby',
    'has a target_session_attrs that is not any, read-write, primary',
  ],
])('names the problem of %s', (url, problem) => {
  expect(databaseUrlProblem(url)).toBe(problem);
});

it('names another database at the same hosts', () => {
  expect(withDatabaseName('postgresql://u:p%40@a:1,[::1]:2/x?sslmode=require', 'y')).toBe(
    'postgresql://u:p%40@a:1,[::1]:2/y?sslmode=require',
  );
  expect(withDatabaseName('postgresql:///x?host=/run/a', 'y')).toBe('postgresql:///y?host=/run/a');
});
