import { createCipheriv, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { isUuid } from '@sallyport/contract';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import type { Mariadb } from '../databases/mariadb.ts';
import { createTestDatabase } from '../test-database.ts';
import { VERSION_2, VERSION_3 } from './schema.ts';

export const SOURCE_KEY = 'the secret key of the source, with 45 letters';

type Values = Readonly<Record<string, unknown>>;

/** A database of JumpServer, with its schema after the public models. */
export interface Source {
  /** Content of its `config.txt`. */
  readonly config: string;
  /** Inserts a row, and returns its id. */
  add(table: string, values: Values): Promise<string>;
  run(statement: string): Promise<void>;
  drop(): Promise<void>;
}

/** Creates an empty source of a version in the database server of the tests. */
export async function buildSource(version: 2 | 3): Promise<Source> {
  const database = await createTestDatabase('empty');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const schema = version === 2 ? VERSION_2 : VERSION_3;
  // As Django does on PostgreSQL.
  await client.query(schema.replaceAll(/(?<!")\btimestamp\b/g, 'timestamptz'));
  const { host, port, user, password, database: name } = client;
  return {
    config: [
      '# Copied from /opt/jumpserver/config/config.txt',
      'DB_ENGINE=postgresql',
      `DB_HOST=${host}`,
      `DB_PORT=${port}`,
      `DB_USER=${user}`,
      `DB_PASSWORD="${password ?? ''}"`,
      `DB_NAME=${name}`,
      `SECRET_KEY=${SOURCE_KEY}`,
      '',
    ].join('\n'),
    async add(table, values) {
      const names = Object.keys(values).map(pg.escapeIdentifier);
      const marks = names.map((_, index) => `$${index + 1}`);
      const { rows } = await client.query(
        `insert into ${table} (${names.join(', ')}) values (${marks.join(', ')}) returning id`,
        Object.values(values),
      );
      return String(rows[0].id);
    },
    run: async (statement) => void (await client.query(statement)),
    async drop() {
      await client.end();
      await database.drop();
    },
  };
}

const padded = (key: string) =>
  key.length >= 32
    ? Buffer.from(key).subarray(0, 32)
    : Buffer.concat([Buffer.from(key), Buffer.alloc(32 - key.length, 32 - key.length)]);

/** Seals as the versions from 2.8 on: AES-GCM. */
export function sealGcm(plain: string, key = SOURCE_KEY): string {
  const [header, nonce] = [randomBytes(16), randomBytes(16)];
  const cipher = createCipheriv('aes-256-gcm', padded(key), nonce).setAAD(header);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return [header, nonce, cipher.getAuthTag(), body]
    .map((bytes) => bytes.toString('base64'))
    .join('');
}

/** Seals as the versions before: AES-ECB with zeros at the end. */
export function sealEcb(plain: string, key = SOURCE_KEY): string {
  const zeros = (bytes: Buffer) =>
    Buffer.concat([bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16)]);
  const secret = zeros(Buffer.from(key.slice(0, 32)));
  const cipher = createCipheriv(`aes-${secret.length * 8}-ecb`, secret, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(zeros(Buffer.from(plain))), cipher.final()]).toString(
    'base64',
  );
}

/** Seals with SM4, as an installation does that is set up for national cryptography. */
export function sealSm4(plain: string, key = SOURCE_KEY): string {
  const cipher = createCipheriv('sm4-ecb', padded(key).subarray(0, 16), null);
  return Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Signs as the first versions, which did not encrypt. */
export function signText(plain: string, key = SOURCE_KEY): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256' })}.${part(plain)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

/** Hashes a password as Django does. */
export function djangoHash(password: string, iterations = 1_000): string {
  const salt = randomBytes(6).toString('hex');
  const digest = pbkdf2Sync(password, salt, iterations, 32, 'sha256').toString('base64');
  return `pbkdf2_sha256$${iterations}$${salt}$${digest}`;
}

/** Creates an empty source of version 2 in a MariaDB server, whose ids have no hyphens. */
export async function buildMariadbSource({ host, port, sql }: Mariadb): Promise<Source> {
  sql(`create database jumpserver character set utf8mb4;
    create user jumpserver@'127.0.0.1' identified by 'of the source 1';
    grant all on jumpserver.* to jumpserver@'127.0.0.1';`);
  const access = { host, port, user: 'jumpserver', password: 'of the source 1' };
  const connection = await createConnection({
    ...{ ...access, database: 'jumpserver', multipleStatements: true, timezone: 'Z' },
  });
  const schema = VERSION_2.replaceAll(/\buuid\b/g, 'char(32)')
    .replaceAll(/(?<!")\btimestamp\b/g, 'datetime(6)')
    .replaceAll(/"(\w+)"/g, '`$1`');
  await connection.query(schema);
  // Commands name their session in a text column, where the hyphens stay.
  const stored = ([name, value]: readonly [string, unknown]) =>
    isUuid(value) && name !== 'session'
      ? value.replaceAll('-', '')
      : typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
        ? new Date(value)
        : value;
  return {
    config: [
      'DB_ENGINE: mysql',
      `DB_HOST: ${host}`,
      `DB_PORT: ${port}`,
      `DB_USER: ${access.user}`,
      `DB_PASSWORD: ${access.password}`,
      'DB_NAME: jumpserver',
      `SECRET_KEY: ${SOURCE_KEY}`,
    ].join('\n'),
    async add(table, values) {
      const names = Object.keys(values).map((name) => `\`${name}\``);
      const marks = names.map(() => '?');
      await connection.query(
        `insert into ${table} (${names.join(', ')}) values (${marks.join(', ')})`,
        Object.entries(values).map(stored),
      );
      return String(values.id);
    },
    run: async (statement) => void (await connection.query(statement)),
    drop: () => connection.end(),
  };
}
