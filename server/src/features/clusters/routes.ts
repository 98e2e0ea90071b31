import {
  type ClusterTest,
  cluster,
  formatDatetime,
  type Kubeconfig,
  Permission,
  reference,
  systemUser,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { AppError, Forbidden, Rejected } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { type ClusterGateway, type ConnectionPorts, problemOf } from '../connections/index.ts';
import { siteOf } from '../identity/index.ts';
import { appAccounts, CLUSTERS } from '../perms/index.ts';
import { kubeconfig } from './kubeconfig.ts';
import { PROXY_PATH } from './proxy.ts';
import { createToken } from './tokens.ts';

export interface ClusterRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly ports: Pick<ConnectionPorts, 'access' | 'factors'>;
  readonly gateway: () => ClusterGateway;
  readonly publicUrl: string | undefined;
  readonly minutes: () => number;
}

const ACCOUNT = { label: systemUser.title, to: 'system_user' };
const TEST_BODY = { system_user: reference(ACCOUNT) };
const KUBECONFIG_BODY = {
  cluster: reference({ label: cluster.title, to: 'cluster' }),
  system_user: reference({ ...ACCOUNT, required: false, nullable: true }),
};
const KUBECONFIG = samples<Kubeconfig>({
  server: 'https://bastion.example.com/k8s/6c1f1c9e-58a8-4e59-8d0f-3b8f6f0f2a11',
  token: 'spk_X3J2c0hVd2xQbTlZb2E0dGJxN1Z6S0xSNWNOZUQxZlc',
  date_expired: '2026-01-31 09:30:00 +0800',
  expiration_timestamp: '2026-01-31T01:30:00Z',
  kubeconfig: '{\n  "apiVersion": "v1"\n}\n',
});

/** Runs work of the gateway, and gives its refusals to the caller. */
async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code, params } = problemOf(error);
    if (code === 'internal') throw error;
    throw /^connect_(denied|expired|condition)/.test(code)
      ? new Forbidden(code, params)
      : new Rejected(code, params);
  }
}

/** Returns the account that a user asks for, or the first granted one. @throws Forbidden */
async function accountFor(
  { db }: ClusterRouteOptions,
  { actor: { userId } }: Context,
  { cluster: id, system_user: asked }: { cluster: string; system_user?: string | null },
): Promise<string> {
  if (asked) return asked;
  const [first] = await appAccounts(CLUSTERS, { userId, organizationId: undefined }, id, db);
  if (!first) throw new Forbidden('connect_denied');
  return first.id;
}

/** Creates the token of a kubeconfig, after the checks of a session. */
async function createKubeconfig(
  options: ClusterRouteOptions,
  context: Context,
): Promise<Kubeconfig> {
  const { db, ports, audit, publicUrl, minutes } = options;
  const { actor, language, zone } = context;
  const body = readBody(context, KUBECONFIG_BODY);
  const systemUserId = await accountFor(options, context, body);
  const { session, userId, remoteAddress } = actor;
  const arriving = { userId, loginId: session.id, remoteAddr: remoteAddress } as const;
  const grant = await answered(() =>
    ports.access.check({ ...arriving, loginFrom: 'KT' }, body.cluster, systemUserId, 'cluster'),
  );
  if (
    grant.factorMinutes !== undefined &&
    !(await ports.factors?.isRecent(session.id, grant.factorMinutes))
  )
    throw new Forbidden('mfa_verify_required');
  const { asset, systemUser: account } = grant;
  const created = await transact(db, async (tx) => {
    const organization = { ...actor.organization, id: asset.orgId };
    await audit(
      tx,
      { ...context, actor: { ...actor, organization } },
      {
        action: 'update',
        resource: asset.hostname,
        resourceType: 'cluster',
        resourceId: asset.id,
        changes: { kubeconfig: [null, account.name] },
      },
    );
    return createToken(
      {
        userId,
        loginId: session.id,
        language,
        clusterId: asset.id,
        systemUserId: account.id,
        minutes: minutes(),
      },
      tx,
    );
  });
  const server = `${siteOf(context, publicUrl)}${PROXY_PATH}${asset.id}`;
  context.reply.code(201);
  return {
    server,
    token: created.token,
    date_expired: formatDatetime(created.dateExpired, zone),
    expiration_timestamp: `${created.dateExpired.toISOString().slice(0, 19)}Z`,
    kubeconfig: kubeconfig({ name: asset.hostname, server, token: created.token }),
  };
}

/** Mounts the test of a cluster and the kubeconfig of users. */
export function mountClusters(app: FastifyInstance, options: ClusterRouteOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/applications/clusters/:id/test/',
    access: Permission.ADMIN,
    area: 'assets',
    summary:
      'Sign in to a cluster with a system user: its version, and if the account may impersonate.',
    body: TEST_BODY,
    answer: samples<ClusterTest>({ version: 'v1.36.3', may_impersonate: true }),
    async handler(context): Promise<ClusterTest> {
      const { engines, gateway } = options;
      const row = await engineOf(engines, cluster).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const { system_user: id } = readBody(context, TEST_BODY);
      const account = await engineOf(engines, systemUser).reader.retrieve(id, context);
      if (account.protocol !== 'kubernetes')
        throw new Rejected('connect_protocol', { protocol: String(account.protocol) });
      const { version, mayImpersonate } = await answered(() =>
        gateway().test({
          cluster: {
            id: String(row.id),
            name: String(row.name),
            host: String(row.host),
            port: Number(row.port),
            tlsName: String(row.tls_name),
            authority: String(row.ca_certificate),
          },
          account: { id: String(account.id), name: String(account.name) },
        }),
      );
      return { version, may_impersonate: mayImpersonate };
    },
  });
  route(app, {
    method: 'POST',
    url: '/api/v1/perms/users/clusters/kubeconfig/',
    access: Permission.USE,
    summary:
      'Create a kubeconfig for one cluster and system user, whose token is valid for some minutes and is returned once.',
    body: KUBECONFIG_BODY,
    status: 201,
    answer: KUBECONFIG,
    handler: (context) => createKubeconfig(options, context),
  });
}
