import { Permission } from '@sallyport/contract';
import { systemCaller } from '../../platform/actor.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';
import type { AssetFindings } from '../assets/index.ts';
import type { RemoteIdentity } from '../connections/index.ts';
import {
  type AssetJobOptions,
  connectivityOf,
  createLines,
  ON_ASSETS,
  opsWords,
} from '../ops/index.ts';
import type { AssetUserList } from './list.ts';
import type { AssetUserRow } from './wire-rows.ts';

/** The query of the list selects the accounts to test. */
export interface AccountTest {
  readonly query: string;
}

interface JobOptions extends AssetJobOptions {
  readonly findings: AssetFindings;
  readonly list: () => AssetUserList;
}

const MOST_QUERY = 16_384;

/** Identity of a test. A stored version that is not effective is named explicitly. */
function identityOf({
  backend,
  origin_id: id,
  username,
  is_best: isBest,
}: AssetUserRow): RemoteIdentity {
  if (backend === 'db' && !isBest) return { kind: 'account', username, assetUserId: id };
  if (backend === 'db' || backend === 'admin_user') return { kind: 'account', username };
  return { kind: 'system_user', id, username };
}

/**
 * Creates the job that signs in with accounts on their assets and stores the results. Accounts that
 * are equal on several assets are tested together.
 */
export function createAccountTest({
  findings,
  list,
  ...options
}: JobOptions): JobDefinition<AccountTest> {
  return defineJob<AccountTest>({
    ...ON_ASSETS,
    name: 'test-asset-users',
    title: { en: 'Test asset users', zh: '测试资产用户' },
    input(value) {
      const { query } = value as { readonly query?: unknown };
      if (typeof query !== 'string' || query.length > MOST_QUERY) throw new Error('no query');
      return { query };
    },
    concurrency: 4,
    access: Permission.ADMIN,
    async run(job) {
      const { signal } = job;
      const { organization, userId, language, zone } = job.caller;
      const { actor } = systemCaller('System', '', { id: organization, name: '' });
      // Stored sets belong to the user who started the job.
      const caller = {
        actor: { ...actor, ...(userId !== undefined && { userId }) },
        language,
        zone,
      };
      const query = new URLSearchParams(job.input.query);
      const counted = await list().list(new URLSearchParams([...query, ['limit', '1']]), caller);
      const lines = createLines(job, counted?.count ?? 0, opsWords.accepted);
      for await (const rows of list().stream(query, caller, false)) {
        if (signal.aborted) break;
        for (const some of Map.groupBy(rows, (row) => JSON.stringify(identityOf(row))).values()) {
          const [one] = some;
          if (!one || signal.aborted) break;
          const best = new Set(some.filter((row) => row.is_best).map(({ asset }) => asset));
          await options.remote.run('ping', undefined, {
            assets: (async function* () {
              yield some.map(({ asset }) => asset);
            })(),
            as: identityOf(one),
            parallel: options.settings.get('REMOTE_PARALLEL_HOSTS'),
            signal,
            async onReport(report) {
              if (signal.aborted) return;
              if (report.state !== 'skipped' && best.has(report.assetId))
                await findings.setAccountConnectivity({
                  ...connectivityOf(report),
                  username: one.username,
                });
              lines.add({ ...report, name: `${one.username}@${report.name}` });
            },
          });
        }
      }
      return lines.end();
    },
  });
}
