import {
  asset,
  changeAuthPlan,
  type KnownAccount,
  MOST_CHECKED,
  MOST_SUGGESTED,
  Permission,
  type PlanCheck,
  say,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { readBody, route } from '../../http/route.ts';
import { listOf, samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { RemoteWork } from '../connections/index.ts';
import { chosenAssets, knownAccounts, knownOn, knowsAccount } from './secrets.ts';
import { words } from './words.ts';

const URL = '/api/v1/xpack/change-auth-plan';
const { username, assets, nodes } = changeAuthPlan.fields;
const BODY = { username, assets, nodes };
const FIELDS = ['id', 'hostname', 'ip', 'connectivity'];
const UNREACHABLE = 0;

const ACCOUNT = samples<KnownAccount>({ username: 'deploy', assets_amount: 12 });
const CHECK = samples<PlanCheck>({
  hosts: [
    {
      id: exampleId('asset'),
      hostname: 'web-1',
      ip: '10.0.0.5',
      is_known: true,
      reason: '',
    },
  ],
  is_cut: false,
  others: [exampleId('asset')],
});

interface RouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly remote: RemoteWork;
}

/** Mounts the routes of the plan form: known accounts, and the pre-check of the servers. */
export function mountPlanChecks(app: FastifyInstance, { db, engines, remote }: RouteOptions): void {
  route(app, {
    method: 'GET',
    url: `${URL}/accounts/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'The accounts known on the assets of the organization, with the number of their assets: stored ones, admin users, and pushed ones. `search` limits them to names that contain it.',
    query: { search: text({ label: { en: 'Search', zh: '搜索' }, max: 32, required: false }) },
    answer: listOf(ACCOUNT),
    handler: async (context) => {
      const search = (context.query.get('search') ?? '').slice(0, 32);
      return knownAccounts(search, MOST_SUGGESTED, context.actor.organization.id, db);
    },
  });

  route(app, {
    method: 'POST',
    url: `${URL}/check/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'Check the servers of a plan before it exists: can each be changed, and is the account known there? Contacts no server.',
    body: BODY,
    answer: CHECK,
    async handler(context): Promise<PlanCheck> {
      const body = readBody(context, BODY);
      const name = String(body.username ?? '');
      const { reader } = engineOf(engines, asset);
      const chosen = chosenAssets(idsIn(body.assets), idsIn(body.nodes));
      const candidates = await reader.find(chosen, FIELDS, MOST_CHECKED + 1, context);
      const rows = candidates.slice(0, MOST_CHECKED);
      const ids = rows.map(({ id }) => String(id));
      const [obstacles, known, others] = await Promise.all([
        remote.obstacles(ids),
        knownOn(ids, name, db),
        reader.find(knowsAccount(name, chosen), ['id'], MOST_CHECKED, context),
      ]);
      const hosts = rows.map((row) => {
        const id = String(row.id);
        const obstacle = obstacles.get(id);
        const { status } = (row.connectivity ?? {}) as { readonly status?: number };
        const reason = obstacle ?? (status === UNREACHABLE ? words.unreachable : undefined);
        return {
          id,
          hostname: String(row.hostname),
          ip: String(row.ip),
          is_known: known.has(id),
          reason: reason ? say(reason, context.language) : '',
        };
      });
      return {
        hosts: hosts.toSorted((one, other) => Number(!one.reason) - Number(!other.reason)),
        is_cut: candidates.length > MOST_CHECKED,
        others: others.map(({ id }) => String(id)),
      };
    },
  });
}

const idsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];
