import { sql } from 'kysely';
import type { Sql } from '../../resources/hooks.ts';
import { userName } from '../../resources/object-name.ts';

/**
 * The account that a log names as `Name(username)`, as a named object. Both must fit: a username
 * may belong to another person by now.
 */
export const namedUser = (text: Sql): Sql => sql`(
  select jsonb_build_object('resource', 'user', 'id', a.id) from account a
  where a.username = substring(${text} from '\\(([^()]+)\\)$') and ${userName('a')} = ${text})`;
