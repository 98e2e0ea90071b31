import {
  assetPermission,
  type BodyOf,
  MAX_NEWCOMERS,
  NEWCOMER_FIELDS,
  type Newcomer,
  type Newcomers,
  Permission,
  type Problem,
  secretLink,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { databaseClock } from '../../../platform/clock.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { describeProblem, Invalid, InvalidItems, invalid } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { Mailer } from '../../mail/index.ts';
import { accountEntry } from '../accounts/managed-account.ts';
import { makeResetToken } from '../password/reset-links.ts';
import { siteOf } from '../sign-in/provider-pages.ts';

/** Lifetime of a copied link in minutes: the administrator still has to hand it over. */
const LINK_MINUTES = 3 * 24 * 60;
/** Maximum characters of the name of a permission. */
const MOST_NAME = 128;

interface NewcomerOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly engines: Engines;
  readonly mailer: Pick<Mailer, 'isConfigured'>;
  readonly publicUrl: string | undefined;
}

/** A person, and the number of the line that names the person. */
interface Person {
  readonly line: number;
  readonly name: string;
  readonly username: string;
  readonly email: string;
}

type Body = BodyOf<typeof NEWCOMER_FIELDS>;

/** Reads `Name <address>` or an address. The username is the part before the `@`. */
function readPerson(text: string, line: number): Person {
  const [, written = '', bracketed] = /^([^<]*)<([^<>]*)>$/.exec(text) ?? [];
  const email = (bracketed ?? text).trim();
  const username = (email.split('@')[0] ?? '').replace(/[^\w.-]/g, '-');
  return { line, email, username, name: written.trim() || username };
}

/** @throws Invalid for too many people */
function readPeople(text: string): Person[] {
  const people = text
    .split('\n')
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((one) => one.text !== '')
    .map((one) => readPerson(one.text, one.line));
  if (people.length > MAX_NEWCOMERS)
    throw invalid('people', 'list_too_long', { max: MAX_NEWCOMERS });
  return people;
}

const OF_PERSON = ['email', 'username', 'name'] as const;

/** Converts problems of accounts to problems of the lines, and of the fields that all share. */
function problemsOfLines(
  people: readonly Person[],
  { items }: InvalidItems,
  { language }: Context,
): Invalid {
  const lines: Problem[] = [];
  const shared: Record<string, readonly Problem[]> = {};
  for (const [index, problems] of items.entries()) {
    const person = people[index];
    for (const [name, list] of Object.entries(problems)) {
      const field = OF_PERSON.find((one) => one === name);
      if (!field || !person) {
        shared[name] ??= list as readonly Problem[];
        continue;
      }
      const [first] = list as readonly Problem[];
      const problem: Problem =
        first?.code === 'not_unique' ? { code: 'newcomer_taken' } : (first ?? { code: 'invalid' });
      lines.push({
        code: 'newcomer_line',
        params: {
          line: person.line,
          text: person[field].slice(0, 64),
          field: user.fields[field].label[language],
          problem: describeProblem(problem, language),
        },
      });
    }
  }
  return new Invalid({ ...shared, ...(lines.length > 0 && { people: lines }) });
}

/** A request that creates accounts, with its transaction. */
interface Welcome extends NewcomerOptions {
  readonly context: Context;
  readonly body: Body;
  readonly tx: Tx;
}

/** Grants the chosen assets to the new users. Returns the id of the permission. */
async function createAccess(
  { engines, context, body, tx }: Welcome,
  users: readonly Newcomer[],
): Promise<string | null> {
  const { assets = [], nodes = [], system_users = [], actions, date_expired } = body;
  if (assets.length + nodes.length === 0) {
    if (system_users.length > 0) throw invalid('assets', 'required');
    return null;
  }
  const suffix = ` (${users[0]?.id.slice(0, 8) ?? ''})`;
  const names = users.map(({ name }) => name).join(', ');
  const { id } = await engineOf(engines, assetPermission).writer.create(
    {
      name: names.slice(0, MOST_NAME - suffix.length) + suffix,
      users: users.map((one) => one.id),
      assets,
      nodes,
      system_users,
      ...(actions && { actions }),
      ...(date_expired && { date_expired: date_expired.toISOString() }),
    },
    context,
    { tx },
  );
  return String(id);
}

/** Creates the accounts, each with a link unless the server mails it. */
async function createUsers(
  { engines, mailer, publicUrl, audit, context, body, tx }: Welcome,
  people: readonly Person[],
): Promise<Newcomer[]> {
  const { groups = [], date_expired } = body;
  const shared = {
    groups,
    ...(date_expired && { date_expired: date_expired.toISOString() }),
  };
  const rows = await engineOf(engines, user)
    .writer.createMany(
      people.map(({ line: _, ...person }) => ({ ...person, ...shared })),
      context,
      { tx },
    )
    .catch((error: unknown) => {
      throw error instanceof InvalidItems ? problemsOfLines(people, error, context) : error;
    });
  const newcomers: Newcomer[] = [];
  for (const row of rows) {
    const account = {
      id: String(row.id),
      username: String(row.username),
      name: String(row.name),
      email: String(row.email),
    };
    let link = '';
    if (!mailer.isConfigured()) {
      const token = (await makeResetToken(account.id, tx, LINK_MINUTES)) ?? '';
      // The inviter passes the link on: it has the address at which the console is used.
      const site = siteOf(context, publicUrl);
      link = secretLink('welcome', { site, secret: token, language: context.language });
      const entry = accountEntry(account, { password_link: [null, 'shown'] });
      await audit(tx, context, entry);
    }
    newcomers.push({ ...account, link });
  }
  return newcomers;
}

/** Creates accounts with their groups, access and end: all of it or nothing. */
async function welcome(options: NewcomerOptions, context: Context): Promise<Newcomers> {
  const body = readBody(context, NEWCOMER_FIELDS);
  const people = readPeople(body.people);
  if (body.date_expired && body.date_expired <= databaseClock.date())
    throw invalid('date_expired', 'newcomer_over');
  const created = await transact(options.db, async (tx) => {
    const request = { ...options, context, body, tx };
    const users = await createUsers(request, people);
    return { users, permission: await createAccess(request, users) };
  });
  context.reply.code(201);
  return { ...created, mailed: options.mailer.isConfigured() };
}

/** Mounts the route that invites people who have no account yet. */
export function mountNewcomers(app: FastifyInstance, options: NewcomerOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/users/users/newcomers/',
    access: Permission.ADMIN,
    summary:
      'Invite people without an account: create all accounts with groups, access and end, or none. Each person sets a password by a link that is mailed or returned.',
    body: NEWCOMER_FIELDS,
    answer: samples<Newcomers>(
      {
        users: [
          {
            id: exampleId('user'),
            username: 'ana.cole',
            name: 'Ana Cole',
            email: 'ana.cole@example.com',
            link: 'https://bastion.example.com/core/auth/welcome/?lang=en#token=example',
          },
        ],
        permission: exampleId('asset_permission'),
        mailed: false,
      },
      { users: [], permission: null, mailed: true },
    ),
    status: 201,
    handler: (context) => welcome(options, context),
  });
}
