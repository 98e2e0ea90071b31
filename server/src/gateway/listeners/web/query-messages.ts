import {
  type DatabaseClientMessage,
  EXPORT_FORMATS,
  isMisleading,
  isUuid,
  MAX_SCRIPT,
  MOST_HISTORY_SEARCH,
  MOST_KEY,
  MOST_ROWS_ASKED,
} from '@sallyport/contract';
import { reasonOf } from './messages.ts';

const MAX_NAME = 128;
const MAX_PASSWORD = 4096;
const MAX_WORD = 256;
/** Redis cursors are 64-bit numbers. */
const CURSOR_DIGITS = 20;

type Reader = (fields: ReadonlyMap<string, unknown>) => DatabaseClientMessage | undefined;

/** Parsers by message type, with the maximum number of fields. */
const READERS: Readonly<Record<DatabaseClientMessage['type'], readonly [number, Reader]>> = {
  connect: [
    3,
    (fields) => {
      const [app, systemUser] = [
        text(fields, 'app', MAX_NAME),
        text(fields, 'system_user', MAX_NAME),
      ];
      return app && systemUser ? { type: 'connect', app, system_user: systemUser } : undefined;
    },
  ],
  credentials: [
    3,
    (fields) => {
      const [username, password] = [
        text(fields, 'username', MAX_NAME),
        text(fields, 'password', MAX_PASSWORD),
      ];
      return username !== undefined && !isMisleading(username) && password !== undefined
        ? { type: 'credentials', username, password }
        : undefined;
    },
  ],
  factor: [
    2,
    (fields) => {
      const code = text(fields, 'code', MAX_NAME);
      return code === undefined ? undefined : { type: 'factor', code };
    },
  ],
  reason: [
    2,
    (fields) => {
      const reason = reasonOf(fields.get('text'));
      return reason === undefined ? undefined : { type: 'reason', text: reason };
    },
  ],
  run: [
    4,
    (fields) => {
      const [run, sent] = [whole(fields, 'run'), text(fields, 'text', MAX_SCRIPT)];
      const at = fields.has('at') ? whole(fields, 'at') : undefined;
      if (
        run === undefined ||
        sent === undefined ||
        Buffer.byteLength(sent) > MAX_SCRIPT ||
        (fields.has('at') && at === undefined)
      )
        return undefined;
      return { type: 'run', run, text: sent, ...(at !== undefined && { at }) };
    },
  ],
  cancel: [1, () => ({ type: 'cancel' })],
  autocommit: [
    2,
    (fields) => {
      const on = fields.get('on');
      return typeof on === 'boolean' ? { type: 'autocommit', on } : undefined;
    },
  ],
  rows: [
    4,
    (fields) => {
      const [result, from, count] = [
        whole(fields, 'result'),
        whole(fields, 'from'),
        whole(fields, 'count'),
      ];
      if (
        result === undefined ||
        from === undefined ||
        count === undefined ||
        count > MOST_ROWS_ASKED
      )
        return undefined;
      return { type: 'rows', result, from, count };
    },
  ],
  forget: [
    2,
    (fields) => {
      const result = whole(fields, 'result');
      return result === undefined ? undefined : { type: 'forget', result };
    },
  ],
  export: [
    3,
    (fields) => {
      const result = whole(fields, 'result');
      const format = EXPORT_FORMATS.find((one) => one === (fields.get('format') ?? 'csv'));
      return result === undefined || !format ? undefined : { type: 'export', result, format };
    },
  ],
  undo: [
    2,
    (fields) => {
      const script = fields.get('script');
      return isUuid(script) ? { type: 'undo', script } : undefined;
    },
  ],
  ack: [
    2,
    (fields) => {
      const bytes = whole(fields, 'bytes');
      return bytes === undefined ? undefined : { type: 'ack', bytes };
    },
  ],
  history: [
    2,
    (fields) => {
      const search = text(fields, 'search', MOST_HISTORY_SEARCH);
      return search === undefined ? undefined : { type: 'history', search };
    },
  ],
  keys: [
    3,
    (fields) => {
      const [prefix, cursor] = [
        text(fields, 'prefix', MOST_KEY),
        text(fields, 'cursor', CURSOR_DIGITS),
      ];
      return prefix === undefined || cursor === undefined || !/^\d+$/.test(cursor)
        ? undefined
        : { type: 'keys', prefix, cursor };
    },
  ],
  key: [
    2,
    (fields) => {
      const key = text(fields, 'key', MOST_KEY);
      return key ? { type: 'key', key } : undefined;
    },
  ],
  schema: [1, () => ({ type: 'schema' })],
  answer: [
    3,
    (fields) => {
      const yes = fields.get('yes');
      const word = fields.has('word') ? text(fields, 'word', MAX_WORD) : undefined;
      if (typeof yes !== 'boolean' || (fields.has('word') && word === undefined)) return undefined;
      return { type: 'answer', yes, ...(word !== undefined && { word }) };
    },
  ],
  ping: [1, () => ({ type: 'ping' })],
};

/** Strictly parses one message of a query workspace; `undefined` for invalid ones. */
export function parseQueryMessage(sent: string): DatabaseClientMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(sent);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const type = fields.get('type');
  if (typeof type !== 'string' || !Object.hasOwn(READERS, type)) return undefined;
  const [max, read] = READERS[type as DatabaseClientMessage['type']];
  return fields.size > max ? undefined : read(fields);
}

function text(fields: ReadonlyMap<string, unknown>, name: string, max: number): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value.length <= max && !value.includes('\0')
    ? value
    : undefined;
}

function whole(fields: ReadonlyMap<string, unknown>, name: string): number | undefined {
  const value = fields.get(name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
