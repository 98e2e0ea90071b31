import { createHash } from 'node:crypto';
import { addressFor } from '../identity/index.ts';
import { ScimError } from './errors.ts';
import { isRecord, memberOf } from './filter.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type Json = Record<string, unknown>;

/** Type and primary mark of a value, as the provider sent them. */
interface Mark {
  readonly type?: string;
  readonly primary?: boolean;
}

/** Attributes of a provider that have no column in the account. */
export interface Profile {
  readonly givenName?: string;
  readonly familyName?: string;
  readonly email?: Mark;
  readonly phone?: Mark;
}

/** The SCIM columns of an account. */
export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly is_active: boolean;
  readonly external_id: string | null;
  readonly profile: Profile;
  readonly date_created: Date;
  readonly date_changed: Date;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
}

/** The SCIM columns of a group. */
export interface GroupRow {
  readonly id: string;
  readonly name: string;
  readonly external_id: string | null;
  readonly date_created: Date;
  readonly date_changed: Date;
  readonly members: readonly { readonly id: string; readonly username: string }[];
}

/** Equal versions have equal content (RFC 7644, 3.14). */
const versionOf = (content: object) =>
  `W/"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`;

function withMeta(
  content: Json,
  type: 'User' | 'Group',
  { id, date_created, date_changed }: UserRow | GroupRow,
  site: string,
): Json {
  const location = `${site}/scim/v2/${type}s/${id}`;
  const version = versionOf(content);
  return {
    ...content,
    meta: {
      resourceType: type,
      created: date_created.toISOString(),
      lastModified: date_changed.toISOString(),
      location,
      version,
    },
  };
}

/** An account in the format of RFC 7643 (4.1). */
export function userInWire(row: UserRow, site: string): Json {
  const {
    givenName,
    familyName,
    email = { type: 'work', primary: true },
    phone = { type: 'work' },
  } = row.profile;
  const content = {
    schemas: [USER],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.username,
    name: {
      formatted: row.name,
      ...(givenName && { givenName }),
      ...(familyName && { familyName }),
    },
    displayName: row.name,
    // The internal placeholder of accounts without an e-mail address is not sent.
    ...(row.email !== addressFor(row.username) && {
      emails: [{ value: row.email, ...email }],
    }),
    ...(row.phone && { phoneNumbers: [{ value: row.phone, ...phone }] }),
    active: row.is_active,
    ...(row.groups.length > 0 && {
      groups: row.groups.map(({ id, name }) => ({
        value: id,
        display: name,
        type: 'direct',
        $ref: `${site}/scim/v2/Groups/${id}`,
      })),
    }),
  };
  return withMeta(content, 'User', row, site);
}

/** A group in the format of RFC 7643 (4.2). */
export function groupInWire(row: GroupRow, site: string): Json {
  const content = {
    schemas: [GROUP],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.name,
    members: row.members.map(({ id }) => ({
      value: id,
      $ref: `${site}/scim/v2/Users/${id}`,
    })),
  };
  return withMeta(content, 'Group', row, site);
}

/** An account as a client sends it. */
export interface UserInput {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly active: boolean | undefined;
  readonly externalId: string | null;
  readonly profile: Profile;
}

const invalid = (attribute: string, what: string): never => {
  throw new ScimError(400, `${attribute}: ${what}`, 'invalidValue');
};

function textIn(object: Readonly<Json>, name: string, max: number): string {
  const value = memberOf(object, name);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string' || value.includes('\0')) return invalid(name, 'must be a text');
  if (value.length > max) return invalid(name, `must have at most ${max} characters`);
  return value.trim();
}

function assertSchema(body: Readonly<Json>, schema: string): void {
  const schemas = memberOf(body, 'schemas');
  if (!Array.isArray(schemas) || !schemas.includes(schema))
    throw new ScimError(400, `schemas must have ${schema}.`, 'invalidSyntax');
}

/** The relevant one of several values: the primary one, else the one for work, else the first. */
function bestOfMany(
  body: Readonly<Json>,
  name: string,
  max: number,
): { readonly value: string; readonly mark: Mark } {
  const list = memberOf(body, name);
  if (list === undefined || list === null) return { value: '', mark: {} };
  if (!Array.isArray(list)) return invalid(name, 'must be a list');
  const values = list.filter(isRecord);
  const best =
    values.find((one) => memberOf(one, 'primary') === true) ??
    values.find((one) => memberOf(one, 'type') === 'work') ??
    values[0];
  if (!best) return { value: '', mark: {} };
  const type = textIn(best, 'type', 64);
  const primary = memberOf(best, 'primary');
  return {
    value: textIn(best, 'value', max),
    mark: { ...(type && { type }), ...(typeof primary === 'boolean' && { primary }) },
  };
}

/** Reads `active`. Established clients also send true and false as text. */
function activeIn(body: Readonly<Json>): boolean | undefined {
  const value = memberOf(body, 'active');
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(true|false)$/i.test(value))
    return value.toLowerCase() === 'true';
  return invalid('active', 'must be true or false');
}

/** Reads an account that a client sends. @throws ScimError */
export function readUser(body: unknown): UserInput {
  if (!isRecord(body)) throw new ScimError(400, 'The body is no object.', 'invalidSyntax');
  assertSchema(body, USER);
  const username = textIn(body, 'userName', 128);
  if (username === '') return invalid('userName', 'is required');
  const names = memberOf(body, 'name') ?? {};
  if (!isRecord(names)) return invalid('name', 'must be an object');
  const givenName = textIn(names, 'givenName', 128);
  const familyName = textIn(names, 'familyName', 128);
  const full = [givenName, familyName].filter(Boolean).join(' ');
  const name =
    textIn(body, 'displayName', 128) ||
    textIn(names, 'formatted', 128) ||
    full.slice(0, 128) ||
    username;
  const email = bestOfMany(body, 'emails', 128);
  const phone = bestOfMany(body, 'phoneNumbers', 20);
  return {
    username,
    name,
    email: email.value || addressFor(username),
    phone: phone.value || null,
    active: activeIn(body),
    externalId: textIn(body, 'externalId', 512) || null,
    profile: {
      ...(givenName && { givenName }),
      ...(familyName && { familyName }),
      ...(email.value && { email: email.mark }),
      ...(phone.value && { phone: phone.mark }),
    },
  };
}

/** A group as a client sends it. */
export interface GroupInput {
  readonly name: string;
  readonly externalId: string | null;
  readonly members: readonly string[];
}

const MAX_MEMBERS = 20_000;

/** Reads a group that a client sends. @throws ScimError */
export function readGroup(body: unknown): GroupInput {
  if (!isRecord(body)) throw new ScimError(400, 'The body is no object.', 'invalidSyntax');
  assertSchema(body, GROUP);
  const name = textIn(body, 'displayName', 128);
  if (name === '') return invalid('displayName', 'is required');
  const list = memberOf(body, 'members') ?? [];
  if (!Array.isArray(list)) return invalid('members', 'must be a list');
  if (list.length > MAX_MEMBERS)
    throw new ScimError(413, `A group has at most ${MAX_MEMBERS} members.`, 'tooMany');
  const members = list.map((one) =>
    isRecord(one) ? textIn(one, 'value', 64) : invalid('members', 'must have objects with a value'),
  );
  return {
    name,
    externalId: textIn(body, 'externalId', 512) || null,
    members: [...new Set(members)],
  };
}

/**
 * Selects the attributes that a client requested (RFC 7644, 3.9). Always includes id and schemas.
 */
export function selectAttributes(
  resource: Json,
  wanted: readonly string[],
  unwanted: readonly string[],
): Json {
  const first = (names: readonly string[]) =>
    new Set(
      names.map(
        (name) =>
          name
            .replace(/^urn:[\w:.-]+:/i, '')
            .split('.')[0]
            ?.toLowerCase() ?? '',
      ),
    );
  const [keep, drop] = [first(wanted), first(unwanted)];
  const always = new Set(['id', 'schemas']);
  return Object.fromEntries(
    Object.entries(resource).filter(
      ([name]) =>
        always.has(name) ||
        (keep.size > 0 ? keep.has(name.toLowerCase()) : !drop.has(name.toLowerCase())),
    ),
  );
}
