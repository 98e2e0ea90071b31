/** What the address of a terminal page asks for. */
export type Screen =
  | { readonly kind: 'workspace'; readonly loginTo: string | null; readonly single: boolean }
  | { readonly kind: 'watch'; readonly session: string }
  | { readonly kind: 'replay'; readonly session: string }
  | { readonly kind: 'unknown' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function idOf(value: string | null | undefined): string | null {
  return value && UUID.test(value) ? value.toLowerCase() : null;
}

/** Reads an address below `/luna/`. Ids go into further addresses, so nothing but an id is taken for one. */
export function screenOf(path: string, query: string): Screen {
  const params = new URLSearchParams(query);
  const [, base, name = '', argument] = path.split('/');
  if (base !== 'luna') return { kind: 'unknown' };
  const shared = idOf(params.get('shareroom'));
  if (name === '') return { kind: 'workspace', loginTo: idOf(params.get('login_to')), single: false };
  if ((name === 'join' || name === 'connect') && shared) return { kind: 'watch', session: shared };
  if (name === 'connect') return { kind: 'workspace', loginTo: idOf(params.get('asset')), single: true };
  const replayed = name === 'replay' ? idOf(argument) : null;
  return replayed ? { kind: 'replay', session: replayed } : { kind: 'unknown' };
}
