import { DRIVE_PIECE, type DriveRequestMessage } from '@sallyport/contract';
import { integerOf, stringOf } from './fields.ts';

const MAX_PATH = 4096;
/** Characters of a piece in base64. */
const MAX_DATA = Math.ceil(DRIVE_PIECE / 3) * 4;
const ON_PATHS = ['list', 'make_folder', 'remove', 'read', 'write'] as const;
const ON_TRANSFERS = ['next', 'done', 'cancel'] as const;

/** Strictly parses a request for the drive of a desktop; `undefined` for an invalid one. */
export function driveRequestOf(
  fields: ReadonlyMap<string, unknown>,
): DriveRequestMessage | undefined {
  const id = integerOf(fields.get('id'), 1, Number.MAX_SAFE_INTEGER);
  const name = fields.get('action');
  if (id === undefined) return undefined;
  const request = { type: 'drive', id } as const;
  const onPath = ON_PATHS.find((one) => one === name);
  if (onPath) {
    const path = stringOf(fields.get('path'), MAX_PATH);
    return fields.size === 4 && path !== undefined
      ? { ...request, action: onPath, path }
      : undefined;
  }
  const of = integerOf(fields.get('of'), 1, Number.MAX_SAFE_INTEGER);
  if (of === undefined) return undefined;
  if (name === 'piece') {
    const data = stringOf(fields.get('data'), MAX_DATA);
    return fields.size === 5 && data ? { ...request, action: name, of, data } : undefined;
  }
  const action = ON_TRANSFERS.find((one) => one === name);
  return fields.size === 4 && action ? { ...request, action, of } : undefined;
}
