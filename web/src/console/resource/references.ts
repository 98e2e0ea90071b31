import { textOf } from './source.ts';

/** How the objects of another resource are offered in a select. */
export interface Reference {
  readonly path: string;
  readonly label: (row: object) => string;
  /** What is sent; the id unless the field wants something else. */
  readonly value?: (row: object) => string;
  readonly query?: Readonly<Record<string, string | number>>;
}

const named = (path: string): Reference => ({ path, label: (row) => textOf(row, 'name') });
const withAccount = (path: string): Reference => ({
  path,
  label: (row) => (textOf(row, 'username') ? `${textOf(row, 'name')}(${textOf(row, 'username')})` : textOf(row, 'name')),
});

const REFERENCES: Readonly<Record<string, Reference>> = {
  user: { ...withAccount('users/users'), query: { fields_size: 'mini', order: 'name' } },
  user_group: named('users/groups'),
  asset: { path: 'assets/assets', label: (row) => `${textOf(row, 'hostname')}(${textOf(row, 'ip')})`, query: { fields_size: 'mini' } },
  node: { path: 'assets/nodes', label: (row) => textOf(row, 'full_value') },
  admin_user: withAccount('assets/admin-users'),
  system_user: withAccount('assets/system-users'),
  domain: named('assets/domains'),
  label: { path: 'assets/labels', label: (row) => `${textOf(row, 'name')}:${textOf(row, 'value')}` },
  platform: { path: 'assets/platforms', label: (row) => textOf(row, 'name'), value: (row) => textOf(row, 'name') },
};

/** The reference of a resource name, offering only what further parameters leave of it. @throws Error for a name that no select can offer */
export function narrowed(target: string, query: Readonly<Record<string, string | number>>): Reference {
  const reference = REFERENCES[target];
  if (!reference) throw new Error(`nothing offers ${target}`);
  return { ...reference, query: { ...reference.query, ...query } };
}

/** The reference of a resource name; `undefined` for one that no select can offer. */
export function referenceTo(target: string): Reference | undefined {
  return REFERENCES[target];
}
