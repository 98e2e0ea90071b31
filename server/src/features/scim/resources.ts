import type { Caller } from '../../platform/actor.ts';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Engines } from '../../resources/engines.ts';
import { ScimError } from './errors.ts';
import type { ListQuery, ListResponse } from './list.ts';
import type { KnownToken } from './tokens.ts';
import type { Json } from './wire.ts';

export interface ScimOptions {
  readonly db: Db;
  readonly engines: Engines;
  /** Returns true if a deletion removes the account. Otherwise it disables the account. */
  readonly deletes: () => boolean;
}

/** The token of a request, and the address of this server. */
export interface ScimContext {
  readonly token: KnownToken;
  readonly remoteAddress: string;
  readonly site: string;
}

/** The resource of a change, and the version that the client expects. */
export interface Target {
  readonly id: string;
  /** Value of `If-Match`. */
  readonly match: string | undefined;
}

/** The operations on one kind of resources. */
export interface ScimResources {
  list(query: ListQuery, context: ScimContext): Promise<ListResponse>;
  get(id: string, context: ScimContext): Promise<Json>;
  create(body: unknown, context: ScimContext): Promise<Json>;
  replace(target: Target, body: unknown, context: ScimContext): Promise<Json>;
  patch(target: Target, body: unknown, context: ScimContext): Promise<Json>;
  remove(target: Target, context: ScimContext): Promise<void>;
}

export const notFound = (id: string) =>
  new ScimError(404, `Resource ${id.slice(0, 64)} not found.`);

export const isId = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

/** The caller of a change, named like the token. */
export function callerOf({ token, remoteAddress }: ScimContext): Caller {
  const { actor, ...rest } = systemCaller('SCIM', remoteAddress);
  const session = { ...actor.session, source: token.source };
  return { ...rest, language: 'en', actor: { ...actor, username: token.name, session } };
}
