import { ERRORS, type ErrorCode, say } from '@sallyport/contract';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { Route } from '../connector.ts';
import { endOfPostgresql } from './database-end.ts';
import { ServerError, serverErrorOf, serverRefusalOf } from './server-errors.ts';

const route: Pick<Route, 'target' | 'database'> = {
  target: {
    id: 'a',
    name: 'shop',
    host: 'db.example',
    port: 3306,
    login: { username: 'clerk', password: 'the vault 7Kz' },
  },
};

/** Numbers with an own sentence; every other one is shown with the words of the server. */
const NUMBERS: Readonly<Record<number, ErrorCode>> = {
  1040: 'connect_database_full',
  1045: 'connect_credentials',
  1049: 'connect_database_missing',
  1203: 'connect_database_full',
  1226: 'connect_database_full',
  1698: 'connect_credentials',
};
/**
 * Numbers of MySQL 9.7 and MariaDB 12. Those from 2000 to 2999 belong to clients, and those from
 * 10,000 on to the log of MySQL.
 */
const RANGES = [
  [1000, 6999],
  [10_000, 15_999],
  [0, 0],
  [65_535, 65_535],
] as const;

it('shows every number of MySQL and MariaDB with the words of the server, and names few', () => {
  const words = 'Zugriff\u001b[31m verweigert: the vault 7Kz\nsecond line';
  for (const [from, until] of RANGES)
    for (let number = from; number <= until; number += 1) {
      const { problem } = serverRefusalOf(new ServerError(String(number), words), route);
      const code = NUMBERS[number] ?? 'connect_database';
      expect([number, problem.code]).toEqual([number, code]);
      const text = say(ERRORS[code], 'en', problem.params);
      if (code === 'connect_database')
        expect(text).toBe(
          `The database at db.example:3306 refused the connection: ${number} Zugriff [31m verweigert: …`,
        );
      for (const part of ['the vault', 'second', '\u001b']) expect(text).not.toContain(part);
    }
});

/** SQLSTATEs with an own sentence, without those that need a text. */
const STATES: Readonly<Record<string, ErrorCode>> = {
  '28P01': 'connect_credentials',
  '3D000': 'connect_database_missing',
  '53300': 'connect_database_full',
  '57P03': 'connect_database_starting',
};
/** Classes of appendix A of the documentation of PostgreSQL 18, and one of an extension. */
const CLASSES =
  '00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 10 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F ' +
  '40 42 44 53 54 55 57 58 F0 HV P0 XX T1';

it('shows every SQLSTATE with the words of the server, and names few', () => {
  const rests = ['P', '0'].flatMap((kind) =>
    Array.from({ length: 100 }, (_, index) =>
      kind === 'P' ? `P${String(index).padStart(2, '0')}` : String(index * 10).padStart(3, '0'),
    ),
  );
  for (const group of CLASSES.split(' '))
    for (const rest of rests) {
      const state = `${group}${rest}`;
      const { problem } = serverRefusalOf(new ServerError(state, 'no entry'), route);
      expect([state, problem.code]).toEqual([state, STATES[state] ?? 'connect_database']);
    }
});

it('names the severity of an error without an SQLSTATE', () => {
  const error = Object.assign(new Error('Invalid password'), {
    severity: 'FATAL',
    code: undefined,
  });
  expect(serverErrorOf(error)).toMatchObject({ code: 'FATAL', message: 'Invalid password' });
});

it('removes the password of the vault from the last words of a server', () => {
  const error = Object.assign(new pg.DatabaseError('bye, vault secret 9', 10, 'error'), {
    severity: 'FATAL',
    code: '57P01',
  });
  expect(endOfPostgresql(error, 'vault secret 9').message).toBe('57P01 bye, …');
});

it('cleans and limits an SQLSTATE that is none', () => {
  const state = `\u001b]0;title\u0007${'A'.repeat(1000)}`;
  const error = Object.assign(new pg.DatabaseError('no entry', 10, 'error'), {
    severity: 'FATAL',
    code: state,
  });
  const cleaned = `]0;title ${'A'.repeat(22)}`;
  expect(serverErrorOf(error)?.code).toBe(cleaned);
  expect(endOfPostgresql(error)).toEqual({ how: 'disconnected', message: `${cleaned} no entry` });
});
