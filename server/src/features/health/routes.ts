import type { Health } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { publicRoute } from '../../http/route.ts';
import { HEALTH } from '../../http/wire-shapes.ts';
import { oversees } from '../../platform/actor.ts';
import type { PreviousEnd } from '../../platform/process/supervisor.ts';
import { RELEASE } from '../../platform/release.ts';
import { isHanging } from '../../platform/storage/recordings.ts';
import { within } from '../../platform/within.ts';
import type { Processes } from '../servers/index.ts';

export interface HealthOptions {
  readonly pool: pg.Pool;
  readonly demo: boolean;
  /** Returns the code of the problem that keeps sessions from being recorded. */
  readonly recordingProblem: () => Promise<string | undefined>;
  /** Returns the code of a database that answers and takes no changes. */
  readonly databaseProblem: () => Promise<string | undefined>;
  readonly isStopping: () => boolean;
  /** Required components by name. */
  readonly checks: ReadonlyMap<string, () => boolean>;
  /** Reported components that do not affect the status. */
  readonly notes: ReadonlyMap<string, () => boolean | undefined>;
  readonly previousEnd: () => PreviousEnd | undefined;
  /** The processes of this server; the health is that of all. */
  readonly processes: Pick<Processes, 'number' | 'siblings' | 'isShared' | 'answer' | 'askAll'>;
}

const DATABASE_TIMEOUT = 2_000;
/** Cache time of the answers of the other processes: the route needs no sign-in. */
const KEPT_MILLISECONDS = 1_000;

/** The components of one process. */
interface Components {
  readonly required: readonly (readonly [name: string, isUp: boolean])[];
  readonly noted: readonly (readonly [name: string, isUp: boolean])[];
}

/** Returns a function that reads the components of this process and, if several, of the others. */
function componentsOf({ checks, notes, processes }: HealthOptions): () => Promise<Components> {
  const own = (): Components => ({
    required: [...checks].map(([name, check]) => [name, check()] as const),
    noted: [...notes].flatMap(([name, check]) => {
      const isUp = check();
      return isUp === undefined ? [] : [[name, isUp] as const];
    }),
  });
  if (!processes.isShared) return async () => own();
  processes.answer('health', own);
  let others: Promise<ReadonlyMap<number, unknown>> | undefined;
  const ask = () => {
    others ??= processes.askAll('health').finally(() =>
      setTimeout(() => {
        others = undefined;
      }, KEPT_MILLISECONDS).unref(),
    );
    return others;
  };
  return async () => {
    const answers = new Map<number, unknown>([...(await ask()), [processes.number, own()]]);
    const parts = [...answers.values()].flatMap((one) => (one ? [one as Components] : []));
    const join = (all: Components['required']) => [
      ...new Map(all.toSorted(([, one], [, other]) => Number(other) - Number(one))),
    ];
    return {
      required: join(parts.flatMap(({ required }) => required)),
      // A missing process is replaced; until then the others do its work.
      noted: [
        ...join(parts.flatMap(({ noted }) => noted)),
        ...[...answers]
          .toSorted(([one], [other]) => one - other)
          .map(([number, answer]) => {
            // The same names after an upgrade, whose processes have other numbers.
            const place = processes.siblings.indexOf(number) + 1;
            return [`process_${place}`, answer !== undefined] as const;
          }),
      ],
    };
  };
}

/** Mounts the health route for monitors and load balancers. */
export function mountHealth(app: FastifyInstance, options: HealthOptions): void {
  const components = componentsOf(options);
  publicRoute(app, {
    // Monitors use HEAD.
    method: ['GET', 'HEAD'],
    url: '/api/health/',
    summary: 'The health of this server.',
    answer: HEALTH,
    recognizesCaller: true,
    async handler({ reply, actor }): Promise<Health> {
      const [answered, refusal, problem, { required, noted }] = await Promise.all([
        answers(options.pool),
        options.databaseProblem(),
        options
          .recordingProblem()
          .catch((error: unknown) => (isHanging(error) ? 'hanging' : 'unavailable')),
        components(),
      ]);
      const database = answered && refusal === undefined;
      const isUp =
        database &&
        problem === undefined &&
        required.every(([, up]) => up) &&
        !options.isStopping();
      if (!isUp) reply.code(503).header('x-error-code', 'unavailable');
      // The reason may contain addresses and files, and the commit tells which corrections are
      // missing, so only administrators and auditors of the installation get them. Monitors need
      // the version, and the changelog of a release names its corrections anyway.
      const isTrusted = oversees(actor);
      const previous = isTrusted ? options.previousEnd() : undefined;
      const state = (up: boolean) => ({ status: up ? ('up' as const) : ('down' as const) });
      return {
        status: isUp ? 1 : 0,
        time: Math.floor(Date.now() / 1_000),
        version: RELEASE.version,
        ...(isTrusted && RELEASE.commit && { commit: RELEASE.commit }),
        demo: options.demo,
        ...(options.isStopping() && { stopping: true as const }),
        dependencies: {
          database: { ...state(database), ...(answered && refusal && { code: refusal }) },
          recordings: { ...state(problem === undefined), ...(problem && { code: problem }) },
          ...Object.fromEntries([...required, ...noted].map(([name, up]) => [name, state(up)])),
        },
        ...(previous && { previous_end: previous }),
      };
    },
  });
}

const answers = (pool: pg.Pool): Promise<boolean> =>
  within(
    pool.query('select 1').then(() => true),
    DATABASE_TIMEOUT,
    () => false,
  ).catch(() => false);
