import {
  APPROVAL_REASON_MAX,
  type ClientMessage,
  type DesktopClientMessage,
  isMisleading,
  keyboardLayoutOf,
  MAX_DESKTOP_SIDE,
  POD_SHELLS,
  type PodPlace,
  protocolOf,
} from '@sallyport/contract';
import { MAX_TERMINAL_CELLS, MAX_TERMINAL_SIDE, MIN_TERMINAL_SIDE } from '../../limits.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { driveRequestOf } from './drive-messages.ts';
import { integerOf, stringOf } from './fields.ts';

/** The message about a stage of a connection. */
export const stageMessage = (...[stage, host, progress]: Parameters<SessionClient['stage']>) => ({
  type: 'stage' as const,
  stage,
  ...(host !== undefined && { host }),
  ...(progress && { progress }),
});

const MAX_NAME = 128;
const MAX_POD_NAME = 253;
const MAX_PASSWORD = 4096;
const MAX_ACKNOWLEDGED = 1024 * 1024 * 1024;

/** Strictly parses one message of a browser; `undefined` for invalid ones. */
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
    const protocol = protocolOf(stringOf(fields.get('protocol'), MAX_NAME) ?? '')?.name;
    const pod = podOf(fields.get('pod'));
    const optional = { protocol, pod };
    const present = Object.entries(optional).filter(([name]) => fields.has(name));
    const isKnown = present.every(([, value]) => value !== undefined);
    if (fields.size !== 5 + present.length || !isKnown || !asset || !systemUser || !size)
      return undefined;
    return {
      type,
      asset,
      system_user: systemUser,
      ...(protocol && { protocol }),
      ...(pod && { pod }),
      ...size,
    };
  }
  if (type === 'resume') {
    const session = stringOf(fields.get('session'), MAX_NAME);
    const received = integerOf(fields.get('received'), 0, Number.MAX_SAFE_INTEGER);
    const size = sizeOf(fields);
    const known = fields.has('received') ? 5 : 4;
    if (fields.size !== known || (known === 5 && received === undefined) || !session || !size)
      return undefined;
    return { type, session, ...(received !== undefined && { received }), ...size };
  }
  if (type === 'break') return fields.size === 1 ? { type } : undefined;
  if (type === 'ping') return fields.size === 1 ? { type } : undefined;
  if (type === 'credentials') {
    const username = stringOf(fields.get('username'), MAX_NAME);
    const password = stringOf(fields.get('password'), MAX_PASSWORD);
    // Some desktops use only a password, and servers with prompts need neither.
    const isComplete = username !== undefined && password !== undefined;
    if (fields.size !== 3 || !isComplete || isMisleading(username)) return undefined;
    return { type, username, password };
  }
  if (type === 'factor') {
    const code = stringOf(fields.get('code'), MAX_NAME);
    return fields.size === 2 && code !== undefined ? { type, code } : undefined;
  }
  if (type === 'reason') {
    const reason = reasonOf(fields.get('text'));
    return fields.size === 2 && reason !== undefined ? { type, text: reason } : undefined;
  }
  if (type === 'resize') {
    const size = sizeOf(fields);
    return fields.size === 3 && size ? { type, ...size } : undefined;
  }
  if (type === 'transfer') {
    const on = fields.get('on');
    return fields.size === 2 && typeof on === 'boolean' ? { type, on } : undefined;
  }
  if (type === 'ack') {
    const bytes = integerOf(fields.get('bytes'), 1, MAX_ACKNOWLEDGED);
    return fields.size === 2 && bytes !== undefined ? { type, bytes } : undefined;
  }
  return undefined;
}

/** Returns a container of a pod; the API decides which names it has. */
function podOf(value: unknown): PodPlace | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [namespace, name, container] = (['namespace', 'name', 'container'] as const).map(
    (field) => {
      const text = stringOf(fields.get(field), MAX_POD_NAME);
      // An address cannot hold half a character.
      return text?.isWellFormed() ? text : undefined;
    },
  );
  const shell = POD_SHELLS.find((one) => one === fields.get('shell'));
  return fields.size === 4 && namespace && name && container && shell
    ? { namespace, name, container, shell }
    : undefined;
}

function sizeOf(fields: ReadonlyMap<string, unknown>): { cols: number; rows: number } | undefined {
  const cols = integerOf(fields.get('cols'), MIN_TERMINAL_SIDE, MAX_TERMINAL_SIDE);
  const rows = integerOf(fields.get('rows'), MIN_TERMINAL_SIDE, MAX_TERMINAL_SIDE);
  return cols === undefined || rows === undefined || cols * rows > MAX_TERMINAL_CELLS
    ? undefined
    : { cols, rows };
}

/** Returns a reason for reviewers: some text on one line; undefined otherwise. */
export function reasonOf(value: unknown): string | undefined {
  const reason = stringOf(value, APPROVAL_REASON_MAX)?.trim();
  return reason?.isWellFormed() && !isMisleading(reason) ? reason : undefined;
}

/** Strictly parses one message of a desktop page; `undefined` for invalid ones. */
export function parseDesktopMessage(text: string): DesktopClientMessage | undefined {
  const message = parseClientMessage(text);
  if (
    message?.type === 'ping' ||
    message?.type === 'factor' ||
    message?.type === 'reason' ||
    message?.type === 'ack' ||
    message?.type === 'credentials'
  )
    return message;
  if (message) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  if (fields.get('type') === 'size') {
    const [width, height] = [fields.get('width'), fields.get('height')].map((side) =>
      integerOf(side, 1, MAX_DESKTOP_SIDE),
    );
    if (fields.size !== 3 || width === undefined || height === undefined) return undefined;
    return { type: 'size', width, height };
  }
  if (fields.get('type') === 'drive') return driveRequestOf(fields);
  if (fields.get('type') !== 'connect') return undefined;
  // Either an asset or a remote app.
  const app = stringOf(fields.get('remote_app'), MAX_NAME);
  const asset = stringOf(fields.get('asset'), MAX_NAME);
  const systemUser = stringOf(fields.get('system_user'), MAX_NAME);
  const width = integerOf(fields.get('width'), 1, MAX_DESKTOP_SIDE);
  const height = integerOf(fields.get('height'), 1, MAX_DESKTOP_SIDE);
  const protocol = protocolOf(stringOf(fields.get('protocol'), MAX_NAME) ?? '')?.name;
  const keyboard = keyboardLayoutOf(fields.get('keyboard'));
  const colors = ([16, 32] as const).find((bits) => bits === fields.get('colors'));
  const optional = { protocol, keyboard, colors };
  const present = Object.entries(optional).filter(([name]) => fields.has(name));
  if (
    fields.size !== 5 + present.length ||
    present.some(([, value]) => value === undefined) ||
    (asset ? fields.has('remote_app') : !app) ||
    !systemUser ||
    width === undefined ||
    height === undefined
  )
    return undefined;
  return {
    type: 'connect',
    ...(asset ? { asset } : { remote_app: app }),
    system_user: systemUser,
    width,
    height,
    ...(protocol && { protocol }),
    ...(keyboard && { keyboard }),
    ...(colors && { colors }),
  };
}
