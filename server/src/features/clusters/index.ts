import { defineModule } from '../../module.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { connections } from '../connections/index.ts';
import { identity } from '../identity/index.ts';
import { mountClusterGrants } from '../perms/index.ts';
import { settings } from '../settings/index.ts';
import { clusterHooks, permissionHooks } from './hooks.ts';
import { LiveSessions } from './live-sessions.ts';
import { mountPages } from './pages/page-routes.ts';
import { createPodTerminals } from './pages/pod-terminals.ts';
import { mountProxy } from './proxy.ts';
import { mountClusters } from './routes.ts';
import { clearTokens, endToken, noteUse, validTokens } from './tokens.ts';

/** Interval between checks for tokens that ended elsewhere. */
const STALE_CHECK_MILLISECONDS = 5_000;

/** Kubernetes clusters: their permissions, kubeconfig files, and the way to their API servers. */
export const clusters = defineModule({
  name: 'clusters',
  tables: [
    'cluster',
    'cluster_token',
    'cluster_permission',
    'cluster_permission_users',
    'cluster_permission_user_groups',
    'cluster_permission_clusters',
    'cluster_permission_system_users',
    'cluster_permission_approvers',
    'cluster_permission_approver_groups',
    'cluster_permission_second_approvers',
    'cluster_permission_second_approver_groups',
    'cluster_permission_third_approvers',
    'cluster_permission_third_approver_groups',
  ],
  create({ core: { db, config, log }, use }) {
    const { ports, clusters: gateway, setPods } = use(connections);
    const { limit, current } = use(identity);
    const sessions = new LiveSessions({
      gateway,
      validTokens: (ids) => validTokens(ids, db),
      noteUse: (id) =>
        noteUse(id, db).catch((error: unknown) =>
          log.error({ err: error }, 'the use of a kubeconfig could not be noted'),
        ),
      endToken: (id) =>
        endToken(id, db).catch((error: unknown) =>
          log.error({ err: error }, 'the token of a kubeconfig could not be ended'),
        ),
    });
    setPods(createPodTerminals({ db, sessions, access: ports.access }));
    return {
      service: {},
      hooks: { cluster: clusterHooks, cluster_permission: permissionHooks },
      async routes(site) {
        const { http, engines, services } = site;
        mountClusterGrants(site, db);
        const options = {
          db,
          engines,
          audit: services.audit,
          ports,
          gateway,
          publicUrl: config.publicUrl,
          minutes: () => use(settings).get('TERMINAL_KUBECONFIG_MINUTES'),
        };
        mountClusters(http, options);
        mountPages(http, { ...options, sessions });
        await mountProxy(http, {
          db,
          limit,
          isSignedIn: current.isValid,
          sessions,
          gateway,
          log,
        });
      },
      timers: [{ everyMilliseconds: STALE_CHECK_MILLISECONDS, run: () => sessions.endStale() }],
      jobs: [
        defineHousekeeping({
          name: 'cluster-tokens',
          title: { en: 'Remove expired kubeconfig tokens', zh: '清理过期的 kubeconfig 令牌' },
          everyMinutes: 60,
          run: () => clearTokens(db),
        }),
      ],
    };
  },
});
