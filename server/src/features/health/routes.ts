import type { Health } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { publicRoute } from '../../http/route.ts';
import { HEALTH } from '../../http/wire-shapes.ts';
import { oversees } from '../../platform/actor.ts';
import type { PreviousEnd } from '../../platform/process.ts';
import { RELEASE } from '../../platform/release.ts';

export interface HealthOptions {
  readonly pool: pg.Pool;
  readonly demo: boolean;
  /** Returns true if sessions can currently be recorded. */
  readonly canRecord: () => Promise<boolean>;
  readonly isStopping: () => boolean;
  /** Required components by name. */
  readonly checks: ReadonlyMap<string, () => boolean>;
  /** Reported components that do not affect the status. */
  readonly notes: ReadonlyMap<string, () => boolean | undefined>;
  readonly previousEnd: () => PreviousEnd | undefined;
}

const DATABASE_TIMEOUT = 2_000;

/** Mounts the health route for monitors and load balancers. */
export function mountHealth(app: FastifyInstance, options: HealthOptions): void {
  publicRoute(app, {
    // Monitors use HEAD.
    method: ['GET', 'HEAD'],
    url: '/api/health/',
    summary: 'Whether this server can do its work.',
    answer: HEALTH,
    recognizesCaller: true,
    async handler({ reply, actor }): Promise<Health> {
      const [database, recordings] = await Promise.all([
        answers(options.pool),
        options.canRecord().catch(() => false),
      ]);
      const others = [...options.checks].map(([name, check]) => [name, check()] as const);
      const notes = [...options.notes].flatMap(([name, check]) => {
        const isUp = check();
        return isUp === undefined ? [] : [[name, isUp] as const];
      });
      const isUp = database && recordings && others.every(([, up]) => up) && !options.isStopping();
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
          database: state(database),
          recordings: state(recordings),
          ...Object.fromEntries([...others, ...notes].map(([name, up]) => [name, state(up)])),
        },
        ...(previous && { previous_end: previous }),
      };
    },
  });
}

async function answers(pool: pg.Pool): Promise<boolean> {
  const late = new Promise<false>((settle) =>
    setTimeout(() => settle(false), DATABASE_TIMEOUT).unref(),
  );
  return Promise.race([pool.query('select 1').then(() => true), late]).catch(() => false);
}
