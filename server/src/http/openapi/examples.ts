import { createHash } from 'node:crypto';
import { type Field, type Fields, RESOURCES, type Resource, readableFields, writableFields } from '@sallyport/contract';

/** The id of the n-th example of a kind of object: the same everywhere, so that examples fit together. */
export function exampleId(kind: string, variant = 1): string {
  const hex = createHash('sha256').update(`${kind} ${variant}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What a person might have typed, by resource and field, then by field alone. The second value is another one. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  'admin_user.name': ['root of the web servers', 'root of the databases'],
  'asset_permission.name': ['Web servers for the shop team', 'Databases for the shop team'],
  'domain.name': ['Frankfurt', 'Shanghai'],
  'gateway.ip': ['203.0.113.10', '203.0.113.11'],
  'gateway.name': ['Frankfurt bastion', 'Shanghai bastion'],
  'gateway.username': ['jump', 'jump'],
  'label.name': ['environment', 'environment'],
  'label.value': ['production', 'staging'],
  'node.value': ['Web servers', 'Databases'],
  'organization.name': ['Shop', 'Warehouse'],
  'platform.name': ['Debian', 'Windows2022'],
  'system_user.name': ['deploy on web servers', 'dba on databases'],
  'system_user.username': ['deploy', 'dba'],
  'user_group.name': ['Shop team', 'Database team'],
  action_name: ['connect', 'connect'],
  accounts: ['li.wei', 'anna.berg@example.com'],
  asset: ['web-prod-01', 'db-prod-01'],
  asset_display: ['web-prod-01', 'db-prod-01'],
  assetpermission_display: ['Web servers for the shop team', 'Databases for the shop team'],
  assets_display: ['web-prod-01', 'db-prod-01'],
  change_by: ['Administrator(admin)', 'Administrator(admin)'],
  city: ['LAN', 'LAN'],
  comment: ['Ask the shop team before a restart', 'Ask the database team before a restart'],
  created_by: ['Administrator', 'Administrator'],
  domain_display: ['Frankfurt', 'Shanghai'],
  email: ['li.wei@example.com', 'anna.berg@example.com'],
  end_reason: ['session_finished', 'session_idle'],
  full_value: ['/Default/Web servers', '/Default/Databases'],
  groups_display: ['Shop team', 'Database team'],
  hardware_info: ['4 Core 16 GB 200 GB', '8 Core 64 GB 2 TB'],
  hostname: ['web-prod-01', 'db-prod-01'],
  input: ['systemctl status nginx', 'df -h'],
  ip: ['10.20.30.41', '10.20.30.42'],
  key: ['1:4', '1:5'],
  name: ['Li Wei', 'Anna Berg'],
  new_password: ['correct-Horse-7-battery', 'correct-Horse-8-battery'],
  new_password_again: ['correct-Horse-7-battery', 'correct-Horse-8-battery'],
  node_display: ['/Default/Web servers', '/Default/Databases'],
  number: ['SRV-0041', 'SRV-0042'],
  old_password: ['quiet-Harbour-4-lantern', 'quiet-Harbour-4-lantern'],
  organization_display: ['Shop', 'Warehouse'],
  org_id: ['', ''],
  org_name: ['DEFAULT', 'DEFAULT'],
  output: ['active (running)', '/dev/sda1 200G'],
  password: ['quiet-Harbour-4-lantern', 'quiet-Harbour-5-lantern'],
  phone: ['+86 138 0013 8000', '+49 30 901820'],
  platform: ['Linux', 'Linux'],
  public_ip: ['203.0.113.41', '203.0.113.42'],
  public_key: [
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 li.wei@example.com',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 li.wei@example.com',
  ],
  reason: ['', 'password_failed'],
  remote_addr: ['192.0.2.15', '192.0.2.16'],
  resource: ['web-prod-01', 'db-prod-01'],
  resource_type: ['asset', 'asset'],
  system_user: ['deploy on web servers(deploy)', 'dba on databases(dba)'],
  user: ['Li Wei(li.wei)', 'Anna Berg(anna.berg)'],
  user_display: ['Li Wei(li.wei)', 'Anna Berg(anna.berg)'],
  usergroup_display: ['Shop team', 'Database team'],
  user_agent: ['Mozilla/5.0', 'Mozilla/5.0'],
  systemuser_display: ['deploy on web servers(deploy)', 'dba on databases(dba)'],
  username: ['li.wei', 'anna.berg'],
  wechat: ['li-wei-shop', 'anna-berg'],
};

const DATES: Readonly<Record<string, string>> = {
  date_end: '2026-01-31 09:05:12 +0800',
  date_expired: '2036-01-31 08:30:00 +0800',
  last_login: '2026-01-30 17:45:00 +0800',
};
const MOMENT = '2026-01-31 08:30:00 +0800';
/** Where the first choice is not the one that works by itself. */
const CHOSEN: Readonly<Record<string, unknown>> = { password_strategy: 1 };

/** A believable value of a field. */
export function exampleValue(field: Field, name: string, resource?: Resource, variant: 1 | 2 = 1): unknown {
  const text = (TEXTS[`${resource?.name}.${name}`] ?? TEXTS[name])?.[variant - 1];
  switch (field.kind) {
    case 'id':
      return exampleId(resource?.name ?? name, variant);
    case 'reference':
      return exampleId(field.target ?? name);
    case 'text':
      // Links that are kept as text name the object that they mean.
      if (/_id$/.test(name) && text === undefined) return exampleId(name.replace(/_id$/, ''));
      return text ?? (field.nullable ? null : typeof field.defaultValue === 'string' ? field.defaultValue : field.label.en);
    case 'secret':
      return text ?? '';
    case 'integer':
      return typeof field.defaultValue === 'number' ? field.defaultValue : Math.min(Math.max(2, field.min ?? 0), field.max ?? 2);
    case 'boolean':
      return typeof field.defaultValue === 'boolean' ? field.defaultValue : true;
    case 'choice':
      return field.defaultValue ?? CHOSEN[name] ?? field.choices?.[0]?.value;
    case 'flags':
      return ['connect'];
    case 'datetime':
      return DATES[name] ?? MOMENT;
    case 'many':
      return [exampleId(field.target ?? name)];
    case 'list':
      return field.defaultValue ?? [text ?? field.label.en];
    case 'json':
      return null;
    case 'object':
      return field.nullable ? null : exampleBody(field.fields ?? {});
    case 'computed':
      return computedExample(field, name, text, resource);
  }
}

function computedExample(field: Field, name: string, text: string | undefined, resource: Resource | undefined): unknown {
  const from = field.computedFrom;
  if (from && 'choiceLabel' in from) {
    const chosen = resource?.fields[from.choiceLabel];
    return chosen?.choices?.find(({ value }) => value === (chosen.defaultValue ?? chosen.choices?.[0]?.value))?.label.en ?? '';
  }
  switch (field.computedType) {
    case 'integer':
      return 1;
    case 'boolean':
      return !name.startsWith('is_expired') && !name.includes('blocked') && !name.startsWith('mfa');
    case 'datetime':
      return DATES[name] ?? MOMENT;
    case 'json':
      return null;
    default:
      return text ?? '';
  }
}

/** A row as lists (or, with `detail`, single objects) show it. */
export function exampleRow(resource: Resource, detail = true, variant: 1 | 2 = 1): Record<string, unknown> {
  return Object.fromEntries(readableFields(resource, detail).map(([name, field]) => [name, exampleValue(field, name, resource, variant)]));
}

/** Links that example bodies show in addition to the required ones. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  asset: ['admin_user', 'domain', 'nodes'],
  asset_permission: ['users', 'assets'],
  label: ['assets'],
  user_group: ['users'],
};
/** Fields that examples leave to their defaults, or that clients should not copy from a description. */
const LEFT_OUT = new Set(['private_key', 'public_key', 'is_first_login']);

/** A body that makes a new row, or with `change` one that changes it. */
export function exampleInput(resource: Resource, variant: 1 | 2 = 1, change = false): Record<string, unknown> {
  const fields = writableFields(resource).filter(([name, field]) => {
    if (LEFT_OUT.has(name) || (change && (field.kind === 'id' || !isPlain(field)))) return false;
    const isLink = field.kind === 'many' || field.kind === 'reference';
    return !isLink || field.required || (LINKS[resource.name] ?? []).includes(name);
  });
  const some = change ? fields.filter(([name]) => name === 'comment' || name === resource.labelField).slice(-1) : fields;
  return Object.fromEntries(some.map(([name, field]) => [name, exampleValue(field, name, resource, variant)]));
}

const isPlain = (field: Field) => field.kind === 'text' || field.kind === 'integer';

/** A body of declared fields that is no resource. */
export function exampleBody(fields: Fields): Record<string, unknown> {
  const given = Object.entries(fields).filter(([name, field]) => field.mode !== 'readonly' && field.kind !== 'id' && !LEFT_OUT.has(name));
  // An object named in the body is another one than the path names.
  return Object.fromEntries(given.map(([name, field]) => [name, field.kind === 'many' ? [exampleId(field.target ?? name, 2)] : exampleValue(field, name)]));
}

/** The example value of a path parameter. */
export function examplePathValue(path: string, name: string): string {
  // Pairs are numbered.
  if (path.endsWith('-relations/{id}/')) return '1';
  const named = RESOURCES.find((resource) => resource.name === name || resource.name.endsWith(`_${name}`));
  if (named) return exampleId(named.name);
  const above = RESOURCES.filter((resource) => path.startsWith(`/api/v1/${resource.path}/{`)).sort((a, b) => b.path.length - a.path.length)[0];
  const segment = path.split(`{${name}}`)[0]?.split('/').filter(Boolean).at(-1) ?? name;
  return exampleId(above?.name ?? RESOURCES.find((resource) => resource.path.endsWith(`/${segment}`))?.name ?? segment);
}
