import {
  alert,
  type Field,
  ftpLog,
  loginLog,
  operateLog,
  passwordChangeLog,
  type Resource,
  session,
} from '@sallyport/contract';
import { schemaOfField } from '../../http/openapi/schemas.ts';
import type { Schema } from '../../http/shapes.ts';
import { type EventKind, SCHEMA_VERSION } from './message.ts';

type LoggedKind = Exclude<EventKind, 'gap' | 'test'>;

const SESSION_BEGIN =
  'id user asset system_user user_id asset_id system_user_id login_from remote_addr protocol second_factor date_start';

/** Resources whose rows become events, with the sent columns. A test compares the triggers. */
export const LOGGED: Readonly<Record<LoggedKind, readonly [Resource, columns: string]>> = {
  sign_in: [loginLog, 'id sequence username user_id type ip city user_agent mfa reason status'],
  operation: [
    operateLog,
    'id sequence user action resource_type resource resource_id remote_addr changes',
  ],
  password_change: [passwordChangeLog, 'id sequence user user_id change_by remote_addr'],
  file: [
    ftpLog,
    'id sequence user user_id remote_addr asset asset_id system_user system_user_id account session operate filename size sha256 is_success reason',
  ],
  alert: [alert, 'id kind user username user_id subject remote_addr sign_in session amount'],
  session_begin: [session, SESSION_BEGIN],
  session_end: [
    session,
    `${SESSION_BEGIN} date_end end_reason is_success has_replay command_amount commands_denied risk_level`,
  ],
};

/** Columns that no resource shows. */
const COLUMNS: Readonly<Record<string, Schema>> = {
  sequence: { type: ['integer', 'null'], description: 'Place in the chained log' },
};
/** Ids of objects that may have been deleted. */
const OTHER: Schema = { type: ['string', 'null'] };

const LEFT_OUT: Schema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Names of long properties that are null here, because the event is too large',
};

/** Any property may be null: long ones are left out of large events. */
function propertyOf(field: Field | undefined): Schema {
  if (!field) return OTHER;
  const { title, description, maxLength: _, ...schema } = schemaOfField(field, false);
  const described = { title, ...(description !== undefined && { description }) };
  if (field.kind === 'datetime')
    return { ...described, type: ['string', 'null'], format: 'date-time' };
  if (Array.isArray(schema.enum))
    return { ...described, enum: [...new Set([...schema.enum, null])] };
  return typeof schema.type === 'string'
    ? { ...described, ...schema, type: [schema.type, 'null'] }
    : { ...described, ...schema };
}

const dataOf = (kind: LoggedKind): Schema => {
  const [{ fields }, columns] = LOGGED[kind];
  const names = columns.split(' ');
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(names.map((name) => [name, COLUMNS[name] ?? propertyOf(fields[name])])),
      left_out: LEFT_OUT,
    },
    required: names,
  };
};

const kindIs = (kind: EventKind, data: Schema): Schema => ({
  properties: { kind: { const: kind }, data },
});

/** Returns the JSON Schema (2020-12) of an event as receivers get it. */
export const eventSchema = (): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Sallyport event',
  type: 'object',
  properties: {
    version: { const: SCHEMA_VERSION },
    id: { type: 'string', format: 'uuid' },
    kind: { type: 'string' },
    time: { type: 'string', format: 'date-time' },
    product: { type: 'string' },
    organization: {
      type: ['object', 'null'],
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      required: ['id', 'name'],
    },
    data: { type: 'object' },
  },
  required: ['version', 'id', 'kind', 'time', 'product', 'organization', 'data'],
  oneOf: [
    ...(Object.keys(LOGGED) as LoggedKind[]).map((kind) => kindIs(kind, dataOf(kind))),
    kindIs('gap', {
      type: 'object',
      properties: { dropped: { type: 'integer' } },
      required: ['dropped'],
    }),
    kindIs('test', {
      type: 'object',
      properties: { receiver: { type: 'string' } },
      required: ['receiver'],
    }),
  ],
});
