import {
  type DesktopClientMessage,
  keyboardLayoutOf,
  MAX_DESKTOP_SIDE,
  protocolOf,
} from '@sallyport/contract';
import { integerOf, MAX_NAME, MAX_PASSWORD, parseClientMessage, stringOf } from './messages.ts';

/** Strictly parses one message of a desktop page; `undefined` for invalid ones. */
export function parseDesktopMessage(text: string): DesktopClientMessage | undefined {
  const message = parseClientMessage(text);
  if (
    message?.type === 'ping' ||
    message?.type === 'factor' ||
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
  if (fields.get('type') === 'credentials') {
    // Some desktops use only a password.
    const password = stringOf(fields.get('password'), MAX_PASSWORD);
    return fields.size === 3 && fields.get('username') === '' && password !== undefined
      ? { type: 'credentials', username: '', password }
      : undefined;
  }
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
