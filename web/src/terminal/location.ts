import { POD_SHELLS, type PodPlace } from '@sallyport/contract';
import type { AccountWish } from './tabs/session-snapshot.ts';

/** The screen that the address of a terminal page opens. */
export type Screen =
  | {
      readonly kind: 'workspace';
      readonly loginTo: string | null;
      readonly wish: AccountWish;
      readonly single: boolean;
    }
  | { readonly kind: 'watch'; readonly session: string }
  /** `at`: the second of the session to begin at. */
  | { readonly kind: 'replay'; readonly session: string; readonly at: number }
  /** The file manager, of one asset perhaps. */
  | { readonly kind: 'files'; readonly asset: string | null }
  /** The query workspace on a database. */
  | { readonly kind: 'query'; readonly app: string }
  /** A program that is used instead of its server. */
  | { readonly kind: 'remote-app'; readonly app: string }
  /** A shell in a container of a cluster. */
  | {
      readonly kind: 'pod';
      readonly cluster: string;
      readonly account: string | null;
      readonly pod: PodPlace;
    }
  /** An invitation into a session; its secret follows `#`. */
  | { readonly kind: 'guest' }
  | { readonly kind: 'unknown' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function idOf(value: string | null | undefined): string | null {
  return value && UUID.test(value) ? value.toLowerCase() : null;
}

/** Reads a container of a pod. The server decides which names are valid. */
function podOf(params: URLSearchParams): PodPlace | undefined {
  const [namespace, name, container] = ['namespace', 'pod', 'container'].map((part) =>
    params.get(part),
  );
  const shell = POD_SHELLS.find((one) => one === params.get('shell')) ?? POD_SHELLS[0];
  return namespace && name && container ? { namespace, name, container, shell } : undefined;
}

/** Reads a second of a session; 0 for an invalid one. */
function secondOf(value: string | null): number {
  return value !== null && /^\d{1,7}$/.test(value) ? Number(value) : 0;
}

/** The file manager, of one asset when it is named. */
export const filesAddress = (asset?: string): string =>
  `/koko/elfinder/sftp/${asset ? `${asset}/` : ''}`;

/**
 * Reads an address below `/luna/`, or that of the file manager. Ids go into further addresses, so
 * nothing but an id is taken for one.
 */
export function screenOf(path: string, query: string): Screen {
  const params = new URLSearchParams(query);
  const [, base, name = '', argument] = path.split('/');
  if (base === 'koko') return { kind: 'files', asset: idOf(path.split('/')[4]) };
  if (base !== 'luna') return { kind: 'unknown' };
  const account = idOf(params.get('account'));
  const wish: AccountWish = account
    ? { kind: 'one', id: account }
    : { kind: params.get('account') === 'choose' ? 'choose' : 'usual' };
  const shared = idOf(params.get('shareroom'));
  const loginTo = idOf(params.get('login_to'));
  if (name === '' && params.get('type') === 'database_app' && loginTo)
    return { kind: 'query', app: loginTo };
  if (name === '' && params.get('type') === 'remote_app' && loginTo)
    return { kind: 'remote-app', app: loginTo };
  const pod = podOf(params);
  if (name === '' && params.get('type') === 'cluster' && loginTo && pod)
    return { kind: 'pod', cluster: loginTo, account, pod };
  if (name === '') return { kind: 'workspace', loginTo, wish, single: false };
  if ((name === 'join' || name === 'connect') && shared) return { kind: 'watch', session: shared };
  if (name === 'connect')
    return { kind: 'workspace', loginTo: idOf(params.get('asset')), wish, single: true };
  if (name === 'invited') return { kind: 'guest' };
  if (name === 'sftp') return { kind: 'files', asset: idOf(argument) };
  const replayed = name === 'replay' ? idOf(argument) : null;
  return replayed
    ? { kind: 'replay', session: replayed, at: secondOf(params.get('at')) }
    : { kind: 'unknown' };
}
