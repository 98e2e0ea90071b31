import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readConfig, StartError } from './config.ts';
import { VARIABLES } from './config-variables.ts';

const refusal = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  return '';
};

describe('a wrong value stops the start with a sentence', () => {
  it.each([
    ['SALLYPORT_HTTP_HOST', 'not an address', 'is not an address'],
    ['SALLYPORT_HTTP_PORT', '70000', 'is not a port number'],
    ['SALLYPORT_HTTP_PORT', '80a', 'is not a port number'],
    ['SALLYPORT_HTTP_PORT', '-1', 'is not a port number'],
    ['SALLYPORT_SSH_PORT', 'ssh', 'is not a port number'],
    ['SALLYPORT_DATABASE_URL', 'db.example.com', 'is not a URL'],
    [
      'SALLYPORT_DATABASE_URL',
      'mysql://db/x',
      'begins with mysql: instead of postgres: or postgresql:',
    ],
    ['SALLYPORT_DATABASE_POOL', '2', 'is not a number between 3 and 500'],
    ['SALLYPORT_DATABASE_POOL', '501', 'is not a number between 3 and 500'],
    ['SALLYPORT_ADMIN_PASSWORD', 'short', 'has fewer than 6'],
    ['SALLYPORT_SECRET_KEY', 'abc', 'is not 64 hexadecimal digits'],
    ['SALLYPORT_PUBLIC_URL', 'bastion', 'is not a URL'],
    ['SALLYPORT_PUBLIC_URL', 'ftp://bastion', 'begins with ftp:'],
    ['SALLYPORT_TRUSTED_PROXIES', 'everybody', 'is not a list of addresses'],
    ['SALLYPORT_TARGET_NETWORKS', '127.0.0.0/33', 'is not a list of addresses'],
    ['SALLYPORT_LOG_LEVEL', 'loud', 'is none of'],
    ['SALLYPORT_TRACES_URL', 'collector', 'is not a URL'],
    [
      'SALLYPORT_TRACES_URL',
      'https://2852039166/v1/traces',
      'is an address of a cloud’s metadata service',
    ],
    [
      'SALLYPORT_WITNESS_URL',
      'http://metadata.google.internal/',
      'is an address of a cloud’s metadata service',
    ],
    [
      'SALLYPORT_VAULT_URL',
      'https://[fd00:ec2::254]',
      'is an address of a cloud’s metadata service',
    ],
    ['SALLYPORT_TRACES_URL', 'ftp://collector/v1/traces', 'begins with ftp: instead of'],
    [
      'SALLYPORT_TRACES_URL',
      'http://collector.example.com/v1/traces',
      'begins with http: on another',
    ],
    [
      'SALLYPORT_TRACES_URL',
      'http://127.0.0.1.example.com/v1/traces',
      'begins with http: on another',
    ],
    ['SALLYPORT_TRACES_URL', 'https://user:qzx9@collector/v1/traces', 'has a user name'],
    [
      'SALLYPORT_TRACES_URL',
      'https://collector/v1/traces?key=qzx9',
      'has a user name, a password or a query',
    ],
  ])('rejects %s=%s', (name, value, problem) => {
    const sentence = refusal({ [name]: value });
    expect(sentence).toContain(`${name} ${problem}`);
    expect(sentence).toContain(
      `Example: ${name}='${VARIABLES.find((variable) => variable.name === name)?.example}'`,
    );
  });

  it.each(['SALLYPORT_ADMIN_PASSWORD', 'SALLYPORT_SECRET_KEY', 'SALLYPORT_DATABASE_URL'])(
    'rejects a value without repeating a secret: %s',
    (name) => {
      expect(refusal({ [name]: 'qzx9!' })).not.toContain('qzx9');
    },
  );

  it.each([
    'https://user:qzx9@collector/',
    'https://collector/?key=qzx9',
    'http://qzx9.example.com/',
  ])('rejects an address of a collector without repeating it: %s', (value) => {
    expect(refusal({ SALLYPORT_TRACES_URL: value })).not.toContain('qzx9');
  });

  it('rejects an unknown variable and names the known ones', () => {
    const sentence = refusal({ SALLYPORT_HTTP_PROT: '8080' });
    expect(sentence).toContain('SALLYPORT_HTTP_PROT is not a variable that Sallyport knows');
    for (const { name } of VARIABLES) expect(sentence).toContain(name);
  });

  it('rejects two keys at once', () => {
    expect(
      refusal({ SALLYPORT_SECRET_KEY: 'a'.repeat(64), SALLYPORT_SECRET_KEY_FILE: '/run/key' }),
    ).toContain('keep one of them');
  });
});

/** The other variables without which a variable of Vault or of the witness is rejected. */
function neededBy(name: string): Record<string, string> {
  if (name.startsWith('SALLYPORT_WITNESS_'))
    return {
      SALLYPORT_WITNESS_URL: 'https://tsa.example.com/tsr',
      SALLYPORT_WITNESS_CA_FILE: '/etc/sallyport/tsa-ca.pem',
    };
  if (!name.startsWith('SALLYPORT_VAULT_')) return {};
  const signsIn = /_(?:TOKEN|TOKEN_FILE|ROLE_ID)$/.test(name);
  return {
    SALLYPORT_VAULT_URL: 'https://vault.example.com',
    ...(signsIn ? {} : { SALLYPORT_VAULT_TOKEN_FILE: '/run/vault/token' }),
  };
}

it('accepts every example that is no command', () => {
  for (const { name, example } of VARIABLES.filter(
    (variable) => !variable.example.startsWith('openssl'),
  ))
    expect([name, refusal({ ...neededBy(name), [name]: example })]).toEqual([name, '']);
});

it('treats blank values as absent, and ignores variables of other programs', () => {
  const plain = readConfig({});
  expect(readConfig(Object.fromEntries(VARIABLES.map(({ name }) => [name, ' '])))).toEqual(plain);
  expect(readConfig({ PATH: '/bin', SALLYPORTS: 'x' })).toEqual(plain);
  expect(plain).toMatchObject({
    httpHost: '127.0.0.1',
    httpPort: 8080,
    sshPort: 2222,
    databaseUrl: undefined,
    demo: false,
  });
});

it('starts as many processes as the machine has cores, less one for the database', () => {
  const { processes } = readConfig({});
  expect(processes).toBeGreaterThanOrEqual(1);
  expect(processes).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1));
  expect(readConfig({ SALLYPORT_PROCESSES: '8' }).processes).toBe(8);
  expect(readConfig({ SALLYPORT_PROCESSES: '8' }, ['--demo']).processes).toBe(1);
});

it('separates the folders of demo data and real data', () => {
  expect(readConfig({ SALLYPORT_DATA_DIR: '/var/x' }, ['--demo']).dataDirectory).toBe(
    '/var/x-demo',
  );
});
