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
import { transact } from '../../platform/db/database.ts';
import { Rejected } from '../../platform/errors.ts';
import { engineOf } from '../../resources/engines.ts';
import { siteOf } from '../identity/index.ts';
import { kubeconfig } from './kubeconfig.ts';
import { PROXY_PATH } from './proxy.ts';
import {
  ACCOUNT,
  answered,
  type ClusterRouteOptions,
  TARGET_BODY,
  targetFor,
} from './target-for.ts';
import { createToken } from './tokens.ts';

const TEST_BODY = { system_user: reference(ACCOUNT) };
const KUBECONFIG = samples<Kubeconfig>({
  server: 'https://bastion.example.com/k8s/6c1f1c9e-58a8-4e59-8d0f-3b8f6f0f2a11',
  token: 'spk_X3J2c0hVd2xQbTlZb2E0dGJxN1Z6S0xSNWNOZUQxZlc',
  date_expired: '2026-01-31 09:30:00 +0800',
  expiration_timestamp: '2026-01-31T01:30:00Z',
  kubeconfig: '{\n  "apiVersion": "v1"\n}\n',
});

/** Creates the token of a kubeconfig, after the checks of a session. */
async function createKubeconfig(
  options: ClusterRouteOptions,
  context: Context,
): Promise<Kubeconfig> {
  const { db, audit, publicUrl, minutes } = options;
  const { actor, language, zone } = context;
  const grant = await targetFor(options, context, 'KT');
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
        userId: actor.userId,
        loginId: actor.session.id,
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
    body: TARGET_BODY,
    status: 201,
    answer: KUBECONFIG,
    handler: (context) => createKubeconfig(options, context),
  });
}
