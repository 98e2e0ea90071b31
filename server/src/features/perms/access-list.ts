import type { Readable } from 'node:stream';
import {
  type AccessCheck,
  type AccessPath,
  asset,
  datetime,
  type ExplainedAccess,
  formatDatetime,
  isAddress,
  type LocalText,
  type Page,
  Permission,
  parseDatetime,
  type Resource,
  say,
  text,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { neighbors } from '../../http/page.ts';
import { requestedFileType, tableFile } from '../../http/resources/csv.ts';
import { parameter, route } from '../../http/route.ts';
import type { Shape } from '../../http/shapes.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/read/page.ts';
import { describeCondition, type Moment } from './grants/conditions.ts';
import type { GrantKind } from './grants/kind.ts';
import {
  accountsOf,
  type GrantPath,
  generalObstacles,
  nearestPermissions,
  pathsBetween,
} from './grants/paths.ts';
import { searchText } from './store.ts';

/** Leading columns of a file: the user or the asset. */
type AccessHeaders = readonly { readonly name: string; readonly label: LocalText }[];

export const USER_HEADERS: AccessHeaders = [
  { name: 'name', label: user.fields.name.label },
  { name: 'username', label: user.fields.username.label },
];
export const ASSET_HEADERS: AccessHeaders = [
  { name: 'hostname', label: asset.fields.hostname.label },
  { name: 'ip', label: asset.fields.ip.label },
];

const ACCESS_COLUMNS: AccessHeaders = [
  { name: 'accounts', label: { en: 'System users', zh: '系统用户' } },
  { name: 'reasons', label: { en: 'Why', zh: '依据' } },
  { name: 'valid_until', label: { en: 'Until', zh: '有效期至' } },
];
const GROUP = { en: 'group', zh: '用户组' };
const NODE = { en: 'node', zh: '节点' };

const BATCH = 500;

const WATCHER = { en: 'a reviewer must watch', zh: '须有审批人监看' };
const APPROVAL = { en: 'each connection needs approval', zh: '每次连接须审批' };

/** Streams a list of accesses as a file, one batch of rows at a time, with localized reasons. */
function accessFile(
  headers: AccessHeaders,
  read: (
    offset: number,
    limit: number,
  ) => Promise<{ readonly count: number; readonly results: readonly ExplainedAccess[] }>,
  context: Context,
): Promise<Readable> {
  const { language } = context;
  const reason = ({ permission, group, node, condition, ...terms }: AccessPath) =>
    [
      permission.name,
      ...(group ? [`${say(GROUP, language)} ${group.name}`] : []),
      ...(node ? [`${say(NODE, language)} ${node.name}`] : []),
      ...(condition ? [condition.sentence] : []),
      ...(terms.needs_approval ? [say(APPROVAL, language)] : []),
      ...(terms.needs_watcher ? [say(WATCHER, language)] : []),
    ].join(' · ');
  async function* batches(): AsyncGenerator<object[]> {
    for (let offset = 0, total = 1; offset < total; offset += BATCH) {
      const { count, results } = await read(offset, BATCH);
      total = count;
      yield results.map((row) => ({
        ...row,
        accounts: row.accounts.map(({ name }) => name).join('; '),
        reasons: row.paths.map(reason).join('; '),
      }));
    }
  }
  return tableFile(
    {
      name: 'access',
      columns: [...headers, ...ACCESS_COLUMNS].map(({ name, label }) => ({
        name,
        header: say(label, language),
      })),
    },
    batches(),
    context,
  );
}

/** Maximum rows per page. The limit is low because each row needs its grant paths. */
const MAX_ROWS = 100;
const DEFAULT_ROWS = 15;

interface Part {
  readonly limit: number;
  readonly offset: number;
  readonly search: string;
}

/** A list of users or assets with the grant paths of each row. */
export interface AccessList<Row extends ExplainedAccess> {
  readonly url: string;
  /** Path parameter with the id of the listed asset, node, user, group, … */
  readonly about: string;
  readonly resource: Resource;
  readonly summary: string;
  /** Shape of the answer, and the headers of its file. */
  readonly shape: Shape;
  readonly headers: AccessHeaders;
  readonly read: (
    id: string,
    part: Part,
    context: Context,
  ) => Promise<{
    readonly count: number;
    readonly rows: readonly (Omit<Row, keyof ExplainedAccess> & {
      readonly paths: readonly GrantPath[];
    })[];
  }>;
}

/** Mounts `GET /api/v1/perms/access/{url}`: a page of accesses with their reasons, or a file. */
export function mountAccessList<Row extends ExplainedAccess>(
  app: FastifyInstance,
  engines: Engines,
  { url, about, resource, summary, shape, headers, read }: AccessList<Row>,
): void {
  route(app, {
    method: 'GET',
    url: `/api/v1/perms/access/${url}`,
    access: Permission.ADMIN,
    area: 'permissions',
    summary,
    answer: shape,
    async handler(context): Promise<Page<ExplainedAccess> | Readable> {
      const { id } = await engineOf(engines, resource).reader.retrieve(
        parameter(context, about),
        context,
      );
      const page = async (part: Part) => {
        const { count, rows } = await read(String(id), part, context);
        return {
          count,
          results: rows.map(({ paths, ...row }) => ({ ...row, ...describe(paths, context) })),
        };
      };
      const search = searchText(context.query);
      if (requestedFileType(context))
        return accessFile(headers, (offset, limit) => page({ search, offset, limit }), context);
      const { limit = DEFAULT_ROWS, offset } = readPaging(context.query, MAX_ROWS);
      const { count, results } = await page({ search, limit, offset });
      return { count, ...neighbors(context, limit, offset, count), results };
    },
  });
}

/** Adds to each row the paths whose user or target it is. */
export function withPaths<One extends { readonly id: string }>(
  rows: readonly One[],
  paths: readonly GrantPath[],
  end: 'user' | 'target',
) {
  const byId = Map.groupBy(paths, (path) => path[end]);
  return rows.map((row) => ({ ...row, paths: byId.get(row.id) ?? [] }));
}

/** Query parameters of a check for another moment. */
export const MOMENT_QUERY = {
  at: datetime({
    label: { en: 'Time', zh: '时间' },
    help: { en: 'Default: now', zh: '默认为当前时间' },
    required: false,
  }),
  address: text({
    label: { en: 'Address of the client', zh: '客户端地址' },
    max: 64,
    required: false,
    example: '192.0.2.7',
  }),
};

/** Reads the moment of a check; undefined for now and any address. @throws Invalid */
export function momentOf({ query, zone }: Pick<Context, 'query' | 'zone'>): Moment | undefined {
  const [at, address] = [query.get('at') || null, query.get('address') || null];
  if (at === null && address === null) return undefined;
  const time = at === null ? databaseClock.date() : parseDatetime(at, zone);
  if (!time) throw invalid('at', 'not_datetime');
  if (address !== null && !isAddress(address)) throw invalid('address', 'not_network');
  return { now: time.getTime(), address };
}

interface AccessQuestion {
  readonly userId: string;
  readonly targetId: string;
  readonly organization: string;
  /** Time zone and language of the answer. */
  readonly context: Pick<Context, 'zone' | 'language'>;
  /** The moment to check. Default: now. */
  readonly moment?: Moment;
}

/**
 * Returns the access of a user to a target. Without access, returns the obstacles and the
 * permissions that come closest.
 */
export async function checkAccess(
  kind: GrantKind,
  { userId, targetId, organization, context, moment }: AccessQuestion,
  db: Db,
): Promise<AccessCheck> {
  const paths = (await pathsBetween([userId], [targetId], { organization, kind }, db)).filter(
    ({ accounts, validUntil }) =>
      accounts.length > 0 && (!moment || validUntil.getTime() > moment.now),
  );
  if (paths.length > 0)
    return { granted: true, access: describe(paths, context, moment), general: [], near: [] };
  const near = await nearestPermissions(userId, targetId, { organization, kind }, db);
  return {
    granted: false,
    access: null,
    general: await generalObstacles(userId, targetId, db, kind),
    near: near.map(({ id, name, obstacles, spoken, offered, date_start, date_expired }) => ({
      permission: { id, name },
      obstacles,
      ...(obstacles.includes('protocol')
        ? { account_protocols: spoken, target_protocols: protocolNames(offered) }
        : { account_protocols: [], target_protocols: [] }),
      date_start: formatDatetime(date_start, context.zone),
      date_expired: formatDatetime(date_expired, context.zone),
    })),
  };
}

/** Returns the names in `ssh/22 rdp/3389`. */
const protocolNames = (offered: string): string[] => [
  ...new Set(offered.split(' ').flatMap((one) => one.split('/').slice(0, 1).filter(Boolean))),
];

function describe(
  paths: readonly GrantPath[],
  { zone, language }: AccessQuestion['context'],
  moment?: Moment,
): ExplainedAccess {
  const reference = (id: string | null, name: string | null) =>
    id === null ? null : { id, name: name ?? '' };
  const until = (path: GrantPath) => formatDatetime(path.validUntil, zone);
  const last = paths.reduce<GrantPath | undefined>(
    (latest, path) => (latest && latest.validUntil >= path.validUntil ? latest : path),
    undefined,
  );
  return {
    accounts: accountsOf(paths),
    paths: paths.map(
      (path): AccessPath => ({
        permission: { id: path.permission, name: path.permissionName },
        valid_until: until(path),
        group: reference(path.group, path.groupName),
        node: reference(path.node, path.nodeName),
        condition: path.terms && describeCondition(path.terms, language, moment),
        needs_approval: path.needsApproval,
        needs_watcher: path.needsWatcher,
      }),
    ),
    valid_until: last ? until(last) : '',
  };
}
