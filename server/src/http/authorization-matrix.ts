import {
  type AccountRole,
  type OrganizationRole,
  Permission,
  permissionsOf,
  RELATIONS,
  RESOURCES,
} from '@sallyport/contract';
import { bitsOf } from '../platform/actor.ts';
import type { DeclaredRoute, RouteAccess } from './route.ts';

/** The answer of the access check alone. */
export type Verdict = '✓' | '401' | '403';

interface CallerKind {
  readonly title: string;
  /** The permission bits in an organization where the role is held, and in any other; undefined without a sign-in. */
  readonly own: number | undefined;
  readonly other: number | undefined;
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
const expired = bitsOf({ role: 'Admin', organizationRoles: ['Admin'] }, false);

/** All kinds of callers, and their permission bits. */
export const CALLER_KINDS = {
  nobody: { title: 'Nobody', own: undefined, other: undefined },
  expired: { title: 'Expired account', own: expired, other: expired },
  user: member('User', 'User'),
  orgAuditor: member('Org auditor', 'Auditor'),
  orgAdmin: member('Org admin', 'Admin'),
  auditor: everywhere('Auditor', 'Auditor'),
  superAdmin: everywhere('Super admin', 'Admin'),
} as const satisfies Record<string, CallerKind>;

export type CallerKindName = keyof typeof CALLER_KINDS;
export const CALLER_KIND_NAMES = Object.keys(CALLER_KINDS) as CallerKindName[];

/** The answer of the access check for these bits. */
export function verdictOf(access: RouteAccess, bits: number | undefined): Verdict {
  if (access === 'public') return '✓';
  if (bits === undefined) return '401';
  return access === 'signed-in' || (access & bits) === access ? '✓' : '403';
}

/** The path with its parameters as people write them. */
export const readablePath = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

function needsOf(access: RouteAccess): string {
  if (access === 'public') return 'nothing';
  if (access === 'signed-in') return 'a sign-in';
  return Object.entries(Permission)
    .filter(([, bit]) => (access & bit) !== 0)
    .map(([name]) => name)
    .join(' + ');
}

/** Whether the path names an object that belongs to an organization (accounts do by membership), so that elsewhere it is not found. */
export function isBound({ url }: DeclaredRoute): boolean {
  if (!url.includes(':')) return false;
  const paths = [
    ...RESOURCES.filter(({ name, scope }) => scope === 'org' || name === 'user'),
    ...RELATIONS,
  ].map(({ path }) => `/api/v1/${path.replace(/\{(\w+)\}/g, ':$1')}/:`);
  return (
    paths.some((path) => url.startsWith(path)) ||
    /^\/api\/v1\/perms\/(users|user-groups)\/:/.test(url)
  );
}

/** Routes in the order people look for them, one for each method; answers to HEAD are those to GET. */
export function matrixRoutes(routes: readonly DeclaredRoute[]): DeclaredRoute[] {
  return routes
    .filter(({ method }) => method !== 'HEAD')
    .toSorted((a, b) =>
      a.url === b.url ? a.method.localeCompare(b.method, 'en') : a.url < b.url ? -1 : 1,
    );
}

/** The line of a route: method, path, what it needs, objects of other organizations, and each role's verdict in its own and in another organization. */
export function matrixLine(route: DeclaredRoute): string[] {
  const cells = CALLER_KIND_NAMES.map((name) => {
    const [own, other] = [
      verdictOf(route.access, CALLER_KINDS[name].own),
      verdictOf(route.access, CALLER_KINDS[name].other),
    ];
    return own === other ? own : `${own} / ${other}`;
  });
  return [
    route.socket ? 'WebSocket' : route.method,
    `\`${readablePath(route.url)}\``,
    needsOf(route.access),
    isBound(route) ? '404' : '',
    ...cells,
  ];
}

/** The whole matrix as the document that is kept in the repository. */
export function authorizationDocument(routes: readonly DeclaredRoute[]): string {
  const header = [
    'Method',
    'Path',
    'Needs',
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

Every route and every WebSocket of the server with every role. This page is made by \`node scripts/authorization.mjs\` out of what the
server registers, the check refuses it when it is out of date, and the tests call every entry, in every role.

- **✓** lets in, **401** asks who is there, **403** says what is missing. \`403\` of a WebSocket comes before it is opened.
- **a / b**: \`a\` where the role is held, \`b\` in every other organization. There, an administrator is an ordinary user.
- **Needs**: permission bits, all of them. USE is everybody with a valid account, AUDIT auditors, ADMIN administrators, SUPER those of the whole installation.
- **Elsewhere 404**: the path names an object of an organization; asked from another organization it does not exist, also for those who may do everything.
  Lists, searches, filters, files and error texts leave such objects out in the same way.
- Deny by default: a route that declares no access keeps the server from starting, and a verb that a resource does not declare has no route.

| Role | Bits where it is held | Bits elsewhere |
| --- | --- | --- |
${CALLER_KIND_NAMES.map((name) => `| ${CALLER_KINDS[name].title} | ${bitNames(CALLER_KINDS[name].own)} | ${bitNames(CALLER_KINDS[name].other)} |`).join('\n')}
`;

function bitNames(bits: number | undefined): string {
  if (!bits) return 'none';
  return needsOf(bits);
}
