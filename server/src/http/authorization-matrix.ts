import {
  type AccountRole,
  AREAS,
  DUTIES,
  DUTY,
  type Duty,
  type DutyOrNone,
  dutyCovers,
  type OrganizationRole,
  Permission,
  permissionsOf,
  RELATIONS,
  RESOURCES,
} from '@sallyport/contract';
import { bitsOf } from '../platform/actor.ts';
import { LATER_PREFIX } from './later-prefix.ts';
import { type DeclaredRoute, type RouteAccess, useOf } from './route.ts';

export type Verdict = '✓' | '401' | '403';

interface CallerKind {
  readonly title: string;
  /** Permission bits in the caller's organization; undefined without a sign-in. */
  readonly own: number | undefined;
  readonly other: number | undefined;
  /** Limits the areas of the bits. */
  readonly duty?: Duty;
}

const member = (title: string, role: OrganizationRole): CallerKind => ({
  title,
  own: permissionsOf({ role: 'User', organizationRoles: [role] }),
  other: permissionsOf({ role: 'User', organizationRoles: ['User'] }),
});
const everywhere = (title: string, role: AccountRole): CallerKind => {
  const bits = permissionsOf({ role, organizationRoles: [] });
  return { title, own: bits, other: bits };
};
const dutiful = (duty: Duty): CallerKind => ({
  ...everywhere(DUTY[duty].title.en, DUTY[duty].role),
  duty,
});
const expired = bitsOf({ role: 'Admin', organizationRoles: ['Admin'] }, false);

export const CALLER_KINDS = {
  nobody: { title: 'Nobody', own: undefined, other: undefined },
  expired: { title: 'Expired account', own: expired, other: expired },
  user: member('User', 'User'),
  orgAuditor: member('Org auditor', 'Auditor'),
  orgAdmin: member('Org admin', 'Admin'),
  auditor: everywhere('Auditor', 'Auditor'),
  superAdmin: everywhere('Super admin', 'Admin'),
  systemAdmin: dutiful('system'),
  securityAdmin: dutiful('security'),
  auditAdmin: dutiful('audit'),
} as const satisfies Record<string, CallerKind>;

export type CallerKindName = keyof typeof CALLER_KINDS;
export const CALLER_KIND_NAMES = Object.keys(CALLER_KINDS) as CallerKindName[];

/** Returns the result of the access check for these permission bits and this duty. */
export function verdictOf(
  route: Pick<DeclaredRoute, 'access' | 'area' | 'method' | 'reads'>,
  bits: number | undefined,
  duty: DutyOrNone = '',
): Verdict {
  const { access, area } = route;
  if (access === 'public') return '✓';
  if (bits === undefined) return '401';
  if (access !== 'signed-in' && (access & bits) !== access) return '403';
  return dutyCovers(duty, area, useOf(route)) ? '✓' : '403';
}

/** Writes path parameters as `{name}`. */
export const readablePath = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

function needsOf(access: RouteAccess): string {
  if (access === 'public') return 'nothing';
  if (access === 'signed-in') return 'a sign-in';
  return Object.entries(Permission)
    .filter(([, bit]) => (access & bit) !== 0)
    .map(([name]) => name)
    .join(' + ');
}

/**
 * Returns true if the path names an object of an organization. Callers of other organizations get
 * 404 for it. Accounts count: membership binds them.
 */
export function isBound({ url }: DeclaredRoute): boolean {
  if (!url.includes(':')) return false;
  const paths = [
    ...RESOURCES.filter(({ name, scope }) => scope === 'org' || name === 'user'),
    ...RELATIONS,
  ].map(({ path }) => `/api/v1/${path.replace(/\{(\w+)\}/g, ':$1')}/:`);
  const plain = url.replace(LATER_PREFIX, '');
  return (
    paths.some((path) => plain.startsWith(path)) ||
    /^\/api\/v1\/(perms\/(users|user-groups)|accounts\/accounts|assets\/(hosts|databases|zones))\/:/.test(
      plain,
    )
  );
}

/** Returns the routes sorted by path and method, without HEAD. */
export function matrixRoutes(routes: readonly DeclaredRoute[]): DeclaredRoute[] {
  return routes
    .filter(({ method }) => method !== 'HEAD')
    .toSorted((a, b) =>
      a.url === b.url ? a.method.localeCompare(b.method, 'en') : a.url < b.url ? -1 : 1,
    );
}

/**
 * Returns the table cells of a route: method, path, required bits, 404 elsewhere, one verdict per
 * role.
 */
export function matrixLine(route: DeclaredRoute): string[] {
  const cells = CALLER_KIND_NAMES.map((name) => {
    const kind: CallerKind = CALLER_KINDS[name];
    const [own, other] = [kind.own, kind.other].map((bits) => verdictOf(route, bits, kind.duty));
    return own === other ? `${own}` : `${own} / ${other}`;
  });
  return [
    route.socket ? 'WebSocket' : route.method,
    `\`${readablePath(route.url)}\``,
    needsOf(route.access),
    areaOf(route),
    isBound(route) ? '404' : '',
    ...cells,
  ];
}

/** Returns the area of a route, and `read` for a change of state that changes nothing. */
const areaOf = ({ area, reads }: DeclaredRoute): string =>
  [area, reads && '(read)'].filter(Boolean).join(' ');

/** Returns the whole matrix as Markdown. */
export function authorizationDocument(routes: readonly DeclaredRoute[]): string {
  const header = [
    'Method',
    'Path',
    'Needs',
    'Area',
    'Elsewhere',
    ...CALLER_KIND_NAMES.map((name) => CALLER_KINDS[name].title),
  ];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const sections = new Map<string, string[]>();
  for (const route of matrixRoutes(routes)) {
    const section = sectionOf(route);
    sections.set(section, [...(sections.get(section) ?? []), row(matrixLine(route))]);
  }
  const tables = [...sections].map(
    ([title, lines]) =>
      `## ${title}\n\n${row(header)}\n${row(header.map(() => '---'))}\n${lines.join('\n')}\n`,
  );
  return `${INTRODUCTION}\n${tables.join('\n')}`;
}

function sectionOf({ url, socket }: DeclaredRoute): string {
  if (socket) return 'WebSockets';
  const [, kind, version, area] = url.split('/');
  return kind === 'api' && version === 'v1' && area ? area : 'pages and documents';
}

const INTRODUCTION = `# Who may do what

This page lists the access of every role to every route and WebSocket of the server. The script
\`node scripts/authorization.mjs\` generates it from the registered routes. The check rejects an
outdated page, and the tests call every entry with every role.

- **✓** admits the caller, **401** requires a sign-in, **403** names the missing role. A WebSocket
  is rejected before it opens.
- **a / b**: \`a\` in the organization of the role, \`b\` in all others. There, an administrator is
  an ordinary user.
- **Needs**: required permission bits, all of them. USE: all valid accounts. AUDIT: auditors. ADMIN:
  administrators. SUPER: administrators and auditors of the whole installation.
- **Elsewhere 404**: the path names an object of an organization. Callers of other organizations get
  404, even super administrators. Lists, searches, filters, files and error texts omit such objects.
- Deny by default: the server does not start if a route declares no access. A verb that a resource
  does not declare has no route.
- **Area**: the part of the product, by which duties are separated. A holder of a duty needs the
  bits and an area of the duty: any use with *change*, and GET, HEAD, OPTIONS and routes marked
  *(read)* with *read*. A route without an area is refused to every duty.

| Role | Bits where it is held | Bits elsewhere |
| --- | --- | --- |
${CALLER_KIND_NAMES.map(roleLine).join('\n')}

| Area | ${DUTIES.map((duty) => DUTY[duty].title.en).join(' | ')} |
| --- | ${DUTIES.map(() => '---').join(' | ')} |
${AREAS.map((area) => `| ${area} | ${DUTIES.map((duty) => DUTY[duty].areas[area] ?? '').join(' | ')} |`).join('\n')}
`;

function roleLine(name: CallerKindName): string {
  const { title, own, other } = CALLER_KINDS[name];
  return `| ${title} | ${bitNames(own)} | ${bitNames(other)} |`;
}

function bitNames(bits: number | undefined): string {
  if (!bits) return 'none';
  return needsOf(bits);
}
