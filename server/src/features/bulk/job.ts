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
import type { Actor, Caller } from '../../platform/actor.ts';
import { Forbidden } from '../../platform/errors.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import { stopped } from '../../resources/progress.ts';
import { dropSet, partOfSet } from '../../resources/resource-set.ts';
import { type Change, type ChangeServices, changeGood, namedAmong, neededFor } from './change.ts';
import { words } from './words.ts';

/**
 * Objects that are changed in one transaction: few enough that nobody waits long for their locks.
 */
const BATCH = 200;
/**
 * Objects that the log names with the reason of their refusal; the last line counts all of them.
 */
const MOST_NAMED = 500;

/** What the queue keeps of a change. */
export interface BulkInput extends Change {
  readonly resource: string;
  /** The job's own copy of the set. */
  readonly set: string;
  readonly count: number;
  readonly remoteAddress: string;
}

interface BulkJobOptions {
  engine(resource: Resource): ResourceEngine;
  readonly services: () => ChangeServices;
  /** What the user is at this moment. */
  actor(userId: string, organizationId: string, remoteAddress: string): Promise<Actor | undefined>;
}

const isChange = (value: unknown): value is BulkInput =>
  BULK_ACTIONS.includes((value as { action?: BulkAction }).action as BulkAction);

/**
 * The job that changes all objects of a set, batch after batch, with the rights that its user has
 * when each batch begins.
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
    // The route checks what the change itself needs, and so does every batch.
    access: Permission.USE,
    sealed: true,
    history: 'all',
    async run({
      input,
      caller: { userId = '', organization, language, zone },
      signal,
      progress,
      log,
    }) {
      const { resource: name, set, count, action } = input;
      const resource = RESOURCES.find((one) => one.name === name);
      const needed = resource && neededFor(resource, action);
      if (!resource || needed === undefined)
        throw new Forbidden('permission_denied', { needed: '' });
      const { db } = services();
      const done = { changed: 0, refused: 0, gone: 0 };
      try {
        for (let start = 0; start < count; start += BATCH) {
          if (signal.aborted) throw stopped({ signal });
          const current = await actor(userId, organization, input.remoteAddress);
          if (!current || !allows(current.permissions, needed))
            throw new Forbidden('permission_denied', { needed: '' });
          const caller: Caller = { actor: current, language, zone };
          const ids = await partOfSet(set, start, BATCH, db);
          const objects = await namedAmong(engine(resource), ids, caller, db);
          const refused = await changeGood(engine(resource), objects, input, caller, services());
          for (const one of refused.slice(0, Math.max(0, MOST_NAMED - done.refused)))
            log(`${one.name}: ${one.why}`);
          done.changed += objects.length - refused.length;
          done.refused += refused.length;
          done.gone += ids.length - objects.length;
          progress(Math.min(count, start + BATCH), count);
        }
      } finally {
        log(summaryOf(done, language));
        // An orderly stop begins again from the start, and needs the set.
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
