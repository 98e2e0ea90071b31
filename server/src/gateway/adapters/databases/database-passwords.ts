import { createHash, randomInt } from 'node:crypto';
import {
  DATABASE_PASSWORD_MINUTES,
  type Language,
  type ListenedDatabase,
} from '@sallyport/contract';
import { verifierOf } from '@sallyport/sql-relays';
import type { RateLimit } from '../../../features/identity/index.ts';
import { displayName } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { DatabasePasswords, PasswordVerifier } from '../../listeners/databases/ports.ts';

/** Without look-alikes (0/O, 1/l/I). 26 characters hold 148 bits. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const PASSWORD_LENGTH = 26;
/** MySQL clients cut usernames after 96 bytes. */
const MAX_LOGIN_BYTES = 96;
/** Clients derive server features from these versions. They claim the oldest versions in use. */
const MYSQL_VERSION = '8.0.30-Sallyport';
const MARIADB_VERSION = '5.5.5-10.6.0-MariaDB-Sallyport';
const SHORT_LENGTH = 10;
const MAX_LOGIN_INPUT = 512;

/** The user, database and system user of a new password. */
export interface PasswordWish {
  readonly userId: string;
  readonly username: string;
  readonly loginId: string;
  readonly language: Language;
  readonly database: {
    readonly id: string;
    readonly name: string;
    readonly organizationId: string;
  };
  readonly systemUser: { readonly id: string; readonly name: string };
  readonly protocol: ListenedDatabase;
}

/** A new password in clear text; the database stores a verifier only. */
export interface MadePassword {
  readonly login: string;
  readonly password: string;
  readonly dateExpired: Date;
}

const random = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
const hash = (name: string, bytes: Buffer): Buffer => createHash(name).update(bytes).digest();

/** Creates a password for a database and a system user; it replaces the earlier one. */
export async function makeDatabasePassword(wish: PasswordWish, tx: Tx): Promise<MadePassword> {
  const { userId, database, systemUser } = wish;
  const password = random(PASSWORD_LENGTH);
  await sql`delete from database_password where date_expired < now()
    or (user_id = ${userId} and database_app_id = ${database.id}
      and system_user_id = ${systemUser.id})`.execute(tx);
  const readable = [wish.username, systemUser.name, database.name].join('@');
  const short = `${wish.username.slice(0, 32)}@${random(SHORT_LENGTH)}`;
  // The readable login may be taken by another organization, or too long for clients. Fall back to
  // a random one.
  const isUsable =
    Buffer.byteLength(readable) <= MAX_LOGIN_BYTES && /^[\p{L}\p{N}_.@ +-]+$/u.test(readable);
  for (const login of isUsable ? [readable, short] : [short]) {
    const { rows } = await sql<{ date_expired: Date }>`
      insert into database_password (user_id, database_app_id, system_user_id, org_id, login_id,
        login, verifier, language, date_expired)
      values (${userId}, ${database.id}, ${systemUser.id}, ${database.organizationId},
        ${wish.loginId}, ${login}, ${JSON.stringify(newVerifier(password, wish.protocol))}::jsonb,
        ${wish.language}, now() + make_interval(mins => ${DATABASE_PASSWORD_MINUTES}))
      on conflict (login) do nothing returning date_expired`.execute(tx);
    const [row] = rows;
    if (row) return { login, password, dateExpired: row.date_expired };
  }
  throw new Error('no name was free for a password');
}

/** The stored verifier: the data with which the protocol checks a password. */
function newVerifier(password: string, protocol: ListenedDatabase): PasswordVerifier {
  if (protocol === 'postgresql') {
    const { salt, iterations, storedKey, serverKey } = verifierOf(password);
    return {
      scram: {
        salt: salt.toString('base64'),
        iterations,
        storedKey: storedKey.toString('base64'),
        serverKey: serverKey.toString('base64'),
      },
    };
  }
  const bytes = Buffer.from(password);
  const twice = (name: string) => hash(name, hash(name, bytes)).toString('base64');
  return { sha256: twice('sha256'), sha1: twice('sha1') };
}

interface PasswordRow {
  readonly id: string;
  readonly verifier: PasswordVerifier;
  readonly database_app_id: string;
  readonly system_user_id: string;
  readonly user_id: string;
  readonly login_id: string;
  readonly language: Language;
  readonly username: string;
  readonly name: string;
}

/** Finds unexpired passwords of active accounts whose sign-in is still valid. */
export function createDatabasePasswords(
  db: Db,
  limit: RateLimit,
  isSignedIn: (loginId: string) => Promise<boolean>,
): DatabasePasswords {
  return {
    limit: (remoteAddress) => limit({ request: { ip: remoteAddress } }),
    async find(login, remoteAddress) {
      if (login === '' || login.length > MAX_LOGIN_INPUT || login.includes('\0')) return undefined;
      // The account may be typed in another letter case. A username may contain `@`.
      const beginnings = [...login.matchAll(/@/g)].map(({ index }) => login.slice(0, index));
      const { rows } = await sql<PasswordRow>`
        select p.id, p.verifier, p.database_app_id, p.system_user_id, p.user_id, p.login_id,
          p.language, a.username, a.name
        from database_password p join account a on a.id = p.user_id
        where p.login in (
            select ${login}::text union all
            select named.username || substr(${login}, length(begin.text) + 1)
            from unnest(${beginnings}::text[]) as begin (text)
              join account named on named.id = account_named(begin.text))
          and p.date_expired > now() and a.is_active and coalesce(a.date_expired > now(), true)
        order by p.login = ${login} desc limit 1`.execute(db);
      const [row] = rows;
      if (!row || !(await isSignedIn(row.login_id))) return undefined;
      return {
        id: row.id,
        verifier: row.verifier,
        databaseId: row.database_app_id,
        systemUserId: row.system_user_id,
        person: {
          userId: row.user_id,
          display: displayName(row),
          language: row.language,
          remoteAddr: remoteAddress,
          loginFrom: 'DT',
          loginId: row.login_id,
        },
      };
    },
    async mysqlVersion() {
      // Without the database, the client reads the reason after the greeting.
      const { rows } = await sql<{ type: string }>`
        select d.type from database_password p join database_app d on d.id = p.database_app_id
        where d.type in ('mysql', 'mariadb') and p.date_expired > now() order by p.date_created desc
          limit 1`
        .execute(db)
        .catch(() => ({ rows: [] }));
      return rows[0]?.type === 'mysql' ? MYSQL_VERSION : MARIADB_VERSION;
    },
    async used(id, remoteAddress) {
      // Give the attempt back: 148 bits cannot be guessed, and a connection pool opens many
      // connections.
      await limit.giveBack({ request: { ip: remoteAddress } });
      await sql`update database_password set uses = uses + 1, date_used = now() where id = ${id}`.execute(
        db,
      );
    },
  };
}
