import {
  type AdhocModule,
  type AdhocRun,
  type HostFailures,
  isWorkState,
} from '@sallyport/contract';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { PageLink, useGo } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import { WorkOutcome } from '../../../resource/job/OutcomeState.tsx';
import styles from './Tasks.module.css';
import { words } from './words.ts';

/** Poll interval of task pages in milliseconds. */
export const LIVE = 5_000;

const JOBS = pagesOf('job');

/** The page with the output of a run. */
const logPage = (id: string) => `/ops/celery/task/${id}/log`;

/** Formats seconds for task pages. */
export const inSeconds = (seconds: number) => t(words.seconds, { seconds: seconds.toFixed(2) });

/** Formats the host counts of a run as `success/failed/total`. */
export const counted = ({
  success,
  failed,
  total,
}: {
  readonly success: number;
  readonly failed: number;
  readonly total: number;
}) => `${success}/${failed}/${total}`;

type Run = Pick<AdhocRun, 'stat'> & { readonly outcome: string };

/** Shows the state of a run. */
export function StateOfRun({ run: { outcome, stat } }: { readonly run: Run }) {
  if (!isWorkState(outcome)) return null;
  return <WorkOutcome outcome={outcome} failed={stat.failed} total={stat.total} />;
}

export function OutputLink({ id }: { readonly id: string }) {
  return <PageLink to={logPage(id)}>{t(words.view)}</PageLink>;
}

/** Starts a run and shows its job. */
export function useStart(): (method: 'get' | 'post', path: string) => Promise<void> {
  const go = useGo();
  return async (method, path) => {
    const { task } =
      method === 'get'
        ? await api.get<{ task: string }>(path)
        : await api.post<{ task: string }>(path, {});
    await go(JOBS.detail(task));
  };
}

/** Lists modules in execution order, each with its module if the name says something else. */
export function Modules({ modules }: { readonly modules: readonly AdhocModule[] }) {
  return (
    <ol className={styles.list}>
      {modules.map(({ name, action }) => (
        <li key={name}>{name === action.module ? name : `${name} (${action.module})`}</li>
      ))}
    </ol>
  );
}

/** Maximum hosts on a card. The results of the run list all hosts. */
const SHOWN = 10;

interface HostCardsProps {
  readonly last: {
    readonly last_failure: HostFailures;
    readonly last_success: readonly string[];
    readonly stat: { readonly success: number; readonly failed: number };
  };
  readonly titles: { readonly failed: string; readonly good: string };
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <p className={styles.empty}>{t(words.more, { count })}</p> : null;
}

/** Shows the hosts of a run, failed ones with their error first. */
export function HostCards({
  last: { last_failure: failures, last_success: good, stat },
  titles,
}: HostCardsProps) {
  const failed = Object.entries(failures).slice(0, SHOWN);
  const firstHosts = good.slice(0, SHOWN);
  return (
    <>
      <Card title={titles.failed}>
        {failed.length === 0 && <p className={styles.empty}>{t(words.none)}</p>}
        <dl className={styles.hosts}>
          {failed.map(([host, modules]) => (
            <div key={host}>
              <dt className={styles.failed}>{host}</dt>
              <dd>
                {Object.entries(modules)
                  .map(([module, { msg }]) => `${module}: ${msg}`)
                  .join('; ')}
              </dd>
            </div>
          ))}
        </dl>
        <More count={stat.failed - failed.length} />
      </Card>
      <Card title={titles.good}>
        {firstHosts.length === 0 && <p className={styles.empty}>{t(words.none)}</p>}
        <ul className={styles.list}>
          {firstHosts.map((host) => (
            <li key={host}>{host}</li>
          ))}
        </ul>
        <More count={stat.success - firstHosts.length} />
      </Card>
    </>
  );
}
