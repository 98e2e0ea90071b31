import { sql } from 'kysely';
import type { Sql } from '../../resources/hooks.ts';
import { userName } from '../../resources/object-name.ts';

/**
 * SQL for the account in a text `Name(username)`, as a named object. Compares both: the username
 * may belong to another user today.
 */
export const namedUser = (text: Sql): Sql => sql`(
  select jsonb_build_object('resource', 'user', 'id', a.id) from account a
  where a.username = substring(${text} from '\\(([^()]+)\\)$') and ${userName('a')} = ${text})`;
