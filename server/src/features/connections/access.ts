import {
  type DatabaseType,
  isUuid,
  Permission,
  parseAssetProtocol,
  protocolOf,
} from '@sallyport/contract';
import type { DatabaseTarget, Grant } from '../../gateway/ports/grant.ts';
import type { Arriving } from '../../gateway/ports/people.ts';
import type { Access } from '../../gateway/ports.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared, sql } from '../../platform/db/sql.ts';
import { eachOnce, sharedReads } from '../../platform/shared-reads.ts';
import type { CurrentSignIns } from '../identity/index.ts';
import { checkApp, DATABASE_APPS, REMOTE_APPS } from '../perms/index.ts';
import { accountPart } from './account-part.ts';
import { type AssetGrantRow, assetGrantOf, assetGrantQuery } from './asset-grant.ts';
import { clusterGrant } from './cluster-grant.ts';
import { connectionTerms, judged } from './permission-terms.ts';
import { folderOf, isStartable, programOf } from './remote-program.ts';

/** Checks permissions in the database each time. Checks in one turn share a read. */
export function createAccess(db: Db, signIns: CurrentSignIns): Access {
  // Sessions of a user on one asset are checked in the same moment.
  const rowOf = sharedReads(
    eachOnce(async (key) => {
      const [userId = '', assetId = '', systemUserId = ''] = key.split(' ');
      const query = assetGrantQuery({ userId, assetId, systemUserId });
      return (await executePrepared(query, db))[0];
    }),
  );
  const hasDuty = sharedReads(
    eachOnce(async (userId) => {
      const query = sql`select from account where id = ${userId}::uuid and duty <> ''`;
      return (await executePrepared(query, db)).length > 0;
    }),
  );
  return {
    isSignedIn: (loginId) => signIns.isValid(loginId),
    isAdmitted: signIns.isAdmitted,
    mayWatch: async (viewer) =>
      ((await signIns.permissions(viewer, viewer.organizationId)) & Permission.AUDIT) !== 0,
    async check(person, assetId, systemUserId, kind = 'asset') {
      // A malformed id matches no grant.
      if (!isUuid(assetId) || !isUuid(systemUserId)) throw new Refusal('connect_denied');
      // Permissions are given by one duty, accounts on assets by another: no holder uses them.
      if (await hasDuty(person.userId)) throw new Refusal('connect_denied');
      if (kind === 'database_app') return databaseGrant(db, person, assetId, systemUserId);
      if (kind === 'cluster') return clusterGrant(db, person, assetId, systemUserId);
      if (kind === 'remote_app') return remoteAppGrant(db, person, assetId, systemUserId);
      return assetGrantOf(
        db,
        person,
        await rowOf([person.userId, assetId, systemUserId].join(' ')),
      );
    },
  };
}

interface DatabaseRow {
  name: string;
  type: DatabaseType;
  host: string;
  port: number;
  database: string | null;
  tls: 'off' | 'required';
  ca_certificate: string;
  org_id: string;
  confirm_all_rows: boolean;
  preview_changes: boolean;
  autocommit: boolean;
}

/** Grant for a database app. */
async function databaseGrant(
  db: Db,
  person: Arriving,
  appId: string,
  systemUserId: string,
): Promise<Grant> {
  const { userId } = person;
  const { account, changesAt } = await judged(
    db,
    person,
    await checkApp(DATABASE_APPS, { userId, appId, systemUserId }, db),
  );
  const { rows } = await sql<DatabaseRow>`
    select a.name, a.type, a.host, a.port, a.database, a.tls, a.ca_certificate, a.org_id,
      s.confirm_all_rows, s.preview_changes, s.autocommit
    from database_app a join system_account s on s.id = ${systemUserId}
      where a.id = ${appId}`.execute(db);
  const [app] = rows;
  if (!app) throw new Refusal('connect_denied');
  const protocol = protocolOf(account.protocol);
  if (protocol?.sessionKind !== 'query')
    throw new Refusal('connect_protocol', { protocol: account.protocol });
  const database: DatabaseTarget = {
    type: app.type,
    name: app.database,
    ...(!app.confirm_all_rows && { isUnasked: true }),
    ...(app.preview_changes && { previewsChanges: true }),
    ...(!app.autocommit && { startsTransactions: true }),
    ...(app.tls === 'required' && { tls: { serverName: app.host, authority: app.ca_certificate } }),
  };
  return {
    database,
    asset: {
      id: appId,
      hostname: app.name,
      ip: app.host,
      port: app.port,
      orgId: app.org_id,
      charset: 'utf8',
    },
    ...(await accountPart(db, account, userId, protocol.name)),
    ...(await connectionTerms(db, account.rules, 'database_app_permission')),
    ...changesAt,
  };
}

interface RemoteAppRow
  extends Pick<
    AssetGrantRow,
    'hostname' | 'ip' | 'protocols' | 'org_id' | 'charset' | 'old_ssh' | 'rdp_security' | 'enforced'
  > {
  allowed_commands: string;
  id: string;
  name: string;
  type: string;
  path: string;
  params: Readonly<Record<string, string>>;
  asset_id: string;
}

/**
 * Grant for a remote app. Host and program come from the app's declaration, never from the client.
 */
async function remoteAppGrant(
  db: Db,
  person: Arriving,
  appId: string,
  systemUserId: string,
): Promise<Grant> {
  const { userId } = person;
  const { account, changesAt } = await judged(
    db,
    person,
    await checkApp(REMOTE_APPS, { userId, appId, systemUserId }, db),
  );
  const { rows } = await sql<RemoteAppRow>`
    select r.id, r.name, r.type, r.path, r.params, r.asset_id, a.hostname, a.ip, a.protocols,
      a.org_id, p.charset, p.old_ssh, p.meta ->> 'security' as rdp_security, s.enforced,
      s.allowed_commands
    from remote_app r join asset a on a.id = r.asset_id join platform p on p.name = a.platform
      join system_account s on s.id = ${systemUserId}
    where r.id = ${appId}`.execute(db);
  const [app] = rows;
  if (!app) throw new Refusal('connect_denied');
  const protocol = protocolOf(account.protocol);
  const port = app.protocols
    .map(parseAssetProtocol)
    .find((offered) => offered?.name === account.protocol)?.port;
  if (protocol?.name !== 'rdp' || port === undefined)
    throw new Refusal('connect_protocol', { protocol: account.protocol });
  if (!isStartable(app)) throw new Refusal('connect_app_program', { name: app.name });
  const granted = await accountPart(db, account, userId, protocol.name);
  return {
    remoteApp: { id: app.id, name: app.name, program: programOf(app), folder: folderOf(app) },
    asset: {
      id: app.asset_id,
      hostname: app.hostname,
      ip: app.ip,
      port,
      orgId: app.org_id,
      charset: app.charset,
      rdpSecurity: app.rdp_security ?? undefined,
    },
    ...granted,
    systemUser: {
      ...granted.systemUser,
      ...(app.enforced && { allowedCommands: app.allowed_commands }),
    },
    ...(await connectionTerms(db, account.rules, 'remote_app_permission')),
    ...changesAt,
  };
}
