import {
  adminUser,
  asset,
  assetPermission,
  assetUser,
  type ChangeAction,
  type CompliancePresets,
  type ControlledResource,
  changeAuthPlan,
  cluster,
  clusterPermission,
  commandFilter,
  commandFilterRule,
  commandStorage,
  condition,
  controlledHostKey,
  controlledSettings,
  databaseApp,
  databaseAppPermission,
  deletedObject,
  domain,
  emergencyAccess,
  eventReceiver,
  gateway,
  isUuid,
  MOST_CHANGES,
  network,
  organization,
  type ProposedChange,
  platform,
  type Resource,
  type Row,
  remoteApp,
  remoteAppPermission,
  replayStorage,
  sshAuthority,
  systemUser,
  terminal,
  user,
  userGroup,
} from '@sallyport/contract';
import type { RefusedWrite } from '../api.ts';

/** The declarations of the resources that an organization can control. */
export const CONTROLLED: Readonly<Record<ControlledResource, Resource>> = {
  asset_permission: assetPermission,
  remote_app_permission: remoteAppPermission,
  database_app_permission: databaseAppPermission,
  cluster_permission: clusterPermission,
  condition,
  network,
  command_filter: commandFilter,
  command_filter_rule: commandFilterRule,
  emergency_access: emergencyAccess,
  user_group: userGroup,
  system_user: systemUser,
  setting: controlledSettings,
  user,
  organization,
  domain,
  gateway,
  admin_user: adminUser,
  ssh_authority: sshAuthority,
  change_auth_plan: changeAuthPlan,
  asset,
  database_app: databaseApp,
  cluster,
  remote_app: remoteApp,
  asset_user: assetUser,
  host_key: controlledHostKey,
  replay_storage: replayStorage,
  command_storage: commandStorage,
  event_receiver: eventReceiver,
  terminal,
  platform,
};

const ACTIONS: Readonly<Record<string, ChangeAction>> = {
  POST: 'create',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'delete',
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Splits a write of several rows into one of each row, as the path of an object receives it. */
function rowsOf({ method, path, body = {} }: RefusedWrite): readonly RefusedWrite[] {
  if (!Array.isArray(body)) return [{ method, path, body }];
  if (body.length > MOST_CHANGES) return [];
  return body.map((row: unknown) => {
    if (method !== 'PATCH' || !isRecord(row)) return { method, path, body: row };
    const { id, ...values } = row;
    return { method, path: `${path}${id}/`, body: values };
  });
}

/** Accepts the key that a server offered: the only action of an object that a change set makes. */
const ACCEPTED_KEY = new RegExp(`^${controlledHostKey.path}/(?<object>[^/]+)/accept/$`);

function changeOf({ method, path, body }: RefusedWrite): ProposedChange | undefined {
  const action = ACTIONS[method];
  const key = ACCEPTED_KEY.exec(path)?.groups?.object;
  if (key)
    return isRecord(body)
      ? { resource: 'host_key', action: 'change', object: key, body }
      : undefined;
  if (!action || !isRecord(body)) return undefined;
  if (path === `${controlledSettings.path}/`)
    return method === 'PATCH'
      ? { resource: 'setting', action, body: Object.assign({}, ...Object.values(body)) }
      : undefined;
  for (const resource of Object.keys(CONTROLLED) as ControlledResource[]) {
    const list = CONTROLLED[resource].path.replace(/\{\w+\}/, '(?<parent>[^/]+)');
    const groups = new RegExp(`^${list}/(?:(?<object>[^/]+)/)?$`).exec(path)?.groups;
    if (!groups) continue;
    const { parent, object } = groups;
    if (action === 'create' ? object : !isUuid(object ?? '')) return undefined;
    return {
      resource,
      action,
      ...(object && { object }),
      ...(parent && { parent }),
      ...(action !== 'delete' && { body }),
    };
  }
  return undefined;
}

/** Paths of the requests that apply a compliance preset and take it back. */
const PRESETS_PATH = 'settings/presets/';
const UNDO_PATH = `${PRESETS_PATH}undo/`;

/**
 * Returns the settings that a request for a compliance preset would change. Undefined for other
 * requests.
 */
export async function presetChangesOf(
  { method, path, body }: RefusedWrite,
  read: (path: string) => Promise<CompliancePresets>,
): Promise<readonly ProposedChange[] | undefined> {
  if (method !== 'POST' || (path !== PRESETS_PATH && path !== UNDO_PATH)) return undefined;
  const { presets, undo } = await read(PRESETS_PATH);
  const chosen =
    path === UNDO_PATH
      ? undo && { name: undo.preset, values: undo.values }
      : presets.find(({ name }) => isRecord(body) && name === body.preset);
  if (!chosen) return [];
  const values = { COMPLIANCE_PRESET: chosen.name, ...chosen.values };
  return [{ resource: 'setting', action: 'change', body: values }];
}

/** Restores a deleted object; the path has only its id. */
const RESTORING = new RegExp(`^${deletedObject.path}/(?<object>[^/]+)/restore/$`);

/** Returns the restoration that a request asks for. Undefined for other requests. */
export async function restorationOf(
  { path, body }: RefusedWrite,
  read: (path: string) => Promise<Pick<Row<typeof deletedObject>, 'resource'>>,
): Promise<readonly ProposedChange[] | undefined> {
  const { object } = RESTORING.exec(path)?.groups ?? {};
  if (!object) return undefined;
  const { resource } = await read(`${deletedObject.path}/${object}/`);
  const names = isRecord(body) && isRecord(body.values) ? body.values : {};
  return Object.hasOwn(CONTROLLED, resource)
    ? [{ resource: resource as ControlledResource, action: 'restore', object, body: names }]
    : [];
}

/** Puts assets on a node, in addition to their nodes or instead of them. */
const PLACING = /^assets\/nodes\/(?<node>[^/]+)\/assets\/(?<placement>add|replace)\/$/;

/**
 * Returns the nodes of assets that a request would place on a node. Undefined for other requests.
 */
export async function placeChangesOf(
  { path, body }: RefusedWrite,
  read: (path: string) => Promise<Pick<Row<typeof asset>, 'nodes'>>,
): Promise<readonly ProposedChange[] | undefined> {
  const { node, placement } = PLACING.exec(path)?.groups ?? {};
  if (!node || !isRecord(body) || !Array.isArray(body.assets)) return undefined;
  const assets: readonly unknown[] = body.assets;
  if (assets.length > MOST_CHANGES) return [];
  return Promise.all(
    assets.map(async (id): Promise<ProposedChange> => {
      const { nodes } = placement === 'add' ? await read(`${asset.path}/${id}/`) : { nodes: [] };
      const object = String(id);
      return { resource: 'asset', action: 'change', object, body: { nodes: [...nodes, node] } };
    }),
  );
}

/**
 * Returns the changes that a request asks for. Empty for requests that name no objects, such as
 * files, and for more changes than a change set can have.
 */
export function changesOf(write: RefusedWrite): readonly ProposedChange[] {
  const changes = rowsOf(write).map(changeOf);
  return changes.every((change) => change !== undefined) ? changes : [];
}
