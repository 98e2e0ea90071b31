import type { ClientMessage } from '@sallyport/contract';

const MIN_SIZE = 2;
const MAX_SIZE = 1000;
const MAX_NAME = 128;
const MAX_PASSWORD = 4096;
const MAX_ACKNOWLEDGED = 1024 * 1024 * 1024;

/** Reads one message of a browser, strictly; `undefined` for anything that the protocol does not know. */
export function parseClientMessage(text: string): ClientMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const type = fields.get('type');
  if (type === 'connect') {
    const asset = stringOf(fields.get('asset'), MAX_NAME);
    const systemUser = stringOf(fields.get('system_user'), MAX_NAME);
    const size = sizeOf(fields);
    if (fields.size !== 5 || !asset || !systemUser || !size) return undefined;
    return { type, asset, system_user: systemUser, ...size };
  }
  if (type === 'credentials') {
    const username = stringOf(fields.get('username'), MAX_NAME);
    const password = stringOf(fields.get('password'), MAX_PASSWORD);
    if (fields.size !== 3 || !username || password === undefined) return undefined;
    return { type, username, password };
  }
  if (type === 'resize') {
    const size = sizeOf(fields);
    return fields.size === 3 && size ? { type, ...size } : undefined;
  }
  if (type === 'ack') {
    const bytes = integerOf(fields.get('bytes'), 1, MAX_ACKNOWLEDGED);
    return fields.size === 2 && bytes !== undefined ? { type, bytes } : undefined;
  }
  return undefined;
}

function sizeOf(fields: ReadonlyMap<string, unknown>): { cols: number; rows: number } | undefined {
  const cols = integerOf(fields.get('cols'), MIN_SIZE, MAX_SIZE);
  const rows = integerOf(fields.get('rows'), MIN_SIZE, MAX_SIZE);
  return cols === undefined || rows === undefined ? undefined : { cols, rows };
}

function stringOf(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value.length <= max && !value.includes('\0') ? value : undefined;
}

function integerOf(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}
