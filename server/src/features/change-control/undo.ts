import {
  assetUser,
  controlledHostKey,
  type ProposedChange,
  say,
  UNDO_DAYS,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import { Conflict } from '../../platform/errors.ts';
import { type ChangeControlOptions, findSet, MOST_REASON, propose } from './service.ts';
import type { ChangeSet, StoredChange, Values } from './store.ts';

const DAY = 86_400_000;
const REASON = { en: 'Undo: {reason}', zh: '撤销：{reason}' };

/** Secrets and host keys are not restored: their former values are not kept here. */
const KEPT: ReadonlySet<string> = new Set([assetUser.name, controlledHostKey.name]);

/** Returns the values before a change of the fields that it changed. */
const valuesBefore = ({ before, after }: StoredChange): Values =>
  Object.fromEntries(
    Object.entries(before ?? {}).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(after?.[name]),
    ),
  );

/**
 * Returns the changes that take an applied change set back, the last first. A deleted object is
 * created with its first values, under a new id.
 */
function inverseOf({ changes, objects }: ChangeSet): ProposedChange[] {
  const first = new Map<string, Values>();
  for (const { object, before } of changes)
    if (before && !first.has(object)) first.set(object, before);
  const deleted = new Set(
    changes.filter(({ proposed }) => proposed.action === 'delete').map(({ object }) => object),
  );
  return (
    changes
      .flatMap((change, index): ProposedChange[] => {
        const { resource, parent = '', action } = change.proposed;
        const object = objects[index] ?? '';
        if (action === 'create' || action === 'restore')
          return [{ resource, parent, action: 'delete', object }];
        if (action === 'delete')
          return [{ resource, parent, action: 'create', body: first.get(object) ?? {} }];
        return deleted.has(object)
          ? []
          : [{ resource, parent, action, object, body: valuesBefore(change) }];
      })
      .filter(({ resource }) => !KEPT.has(resource))
      // The change of a secret alone is not taken back: its former value is not kept here.
      .filter(({ action, body = {} }) => action !== 'change' || Object.keys(body).length > 0)
      .toReversed()
  );
}

/**
 * Proposes the inverse of an applied change set, the last change first. Returns the id of the
 * proposal.
 * @throws NotFound, Conflict
 */
export async function proposeUndo(
  options: ChangeControlOptions,
  id: string,
  caller: Caller,
): Promise<string> {
  const set = await findSet(id, caller, options.db);
  const isLate =
    databaseClock.now() - ((set.date_applied ?? set.date_decided)?.getTime() ?? 0) >
    UNDO_DAYS * DAY;
  if (set.state !== 'applied' || set.turns_off || isLate)
    throw new Conflict('change_set_not_undone', { days: UNDO_DAYS });
  return propose(
    options,
    {
      reason: say(REASON, caller.language, { reason: set.reason }).slice(0, MOST_REASON),
      changes: inverseOf(set),
      turnsOff: false,
    },
    caller,
  );
}
