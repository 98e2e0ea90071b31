import {
  allows,
  BULK_ACTIONS,
  type BulkAction,
  type Language,
  Permission,
  RESOURCES,
  type Resource,
  say,
} from '@sallyport/contract';
import { permissionDenied } from '../../http/route.ts';
import type { Actor, Caller } from '../../platform/actor.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import { dropSet, partOfSet } from '../../resources/read/resource-set.ts';
import { stopped } from '../../resources/write/unit-of-work.ts';
import {
  type Change,
  type ChangeServices,
  changeAccepted,
  namedAmong,
  neededFor,
} from './change.ts';
import { words } from './words.ts';

/** Objects changed per transaction. Small batches limit the time of locks. */
const BATCH = 200;
/** Maximum rejected objects that the log names. Its last line counts all. */
const MOST_NAMED = 500;

/** The input of the job. */
export interface BulkInput extends Change {
  readonly resource: string;
  /** The copy of the set that belongs to the job. */
  readonly set: string;
  readonly count: number;
  readonly remoteAddress: string;
  /** The sign-in that started the job. Some changes need a recent proof of its user. */
  readonly session?: Actor['session'];
}

interface BulkJobOptions {
  engine(resource: Resource): ResourceEngine;
  readonly services: () => ChangeServices;
  /** Returns the current rights of the user. */
  actor(userId: string, organizationId: string, remoteAddress: string): Promise<Actor | undefined>;
}

const isChange = (value: unknown): value is BulkInput =>
  BULK_ACTIONS.includes((value as { action?: BulkAction }).action as BulkAction);

/**
 * Creates the job that changes all objects of a set in batches. Each batch uses the current rights
 * of the user.
 */
export function createBulkJob({
  engine,
  services,
  actor,
}: BulkJobOptions): JobDefinition<BulkInput> {
  return defineJob<BulkInput>({
    name: 'bulk-change',
    title: words.title,
    input(value) {
      if (!isChange(value)) throw new Error('not a bulk change');
      return value;
    },
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 4 * 3_600,
    // The route and each batch check the rights of the change.
    access: Permission.USE,
    sealed: true,
    history: 'all',
    async run({
      id,
      input,
      caller: { userId = '', organization, language, zone },
      signal,
      progress,
      log,
    }) {
      const { resource: name, set, count, action } = input;
      const resource = RESOURCES.find((one) => one.name === name);
      const needed = resource && neededFor(resource, action);
      if (!resource || needed === undefined) throw permissionDenied(Permission.ADMIN, language);
      const { db } = services();
      const done = { changed: 0, refused: 0, gone: 0 };
      try {
        for (let start = 0; start < count; start += BATCH) {
          if (signal.aborted) throw stopped({ signal });
          const current = await actor(userId, organization, input.remoteAddress);
          if (!current || !allows(current.permissions, needed))
            throw permissionDenied(needed, language);
          const { session = current.session } = input;
          const caller: Caller = { actor: { ...current, session }, language, zone };
          const ids = await partOfSet(set, start, BATCH, db);
          const objects = await namedAmong(engine(resource), ids, caller, db);
          const refused = await changeAccepted(objects, {
            engine: engine(resource),
            engineOf: engine,
            batch: id,
            change: input,
            caller,
            services: services(),
          });
          for (const one of refused.slice(0, Math.max(0, MOST_NAMED - done.refused)))
            log(`${one.name}: ${one.why}`);
          done.changed += objects.length - refused.length;
          done.refused += refused.length;
          done.gone += ids.length - objects.length;
          progress(Math.min(count, start + BATCH), count);
        }
      } finally {
        log(summaryOf(done, language));
        // After an orderly stop, the job restarts and needs the set.
        if (signal.reason !== 'stopping') await dropSet(set, db);
      }
      return done;
    },
  });
}

function summaryOf(
  done: { readonly changed: number; readonly refused: number; readonly gone: number },
  language: Language,
): string {
  return [
    say(words.changed, language, { count: done.changed }),
    ...(done.refused > 0 ? [say(words.refused, language, { count: done.refused })] : []),
    ...(done.gone > 0 ? [say(words.gone, language, { count: done.gone })] : []),
  ].join(' ');
}
