import { deletedObject, formatDatetime, RESOURCES, say } from '@sallyport/contract';
import { type Actor, mayUse } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';

const DAY = 86_400_000;

/** Returns the resources whose deleted objects a user may restore. */
export const restorableBy = (actor: Actor) =>
  RESOURCES.filter(
    (resource) =>
      resource.restorable && mayUse(actor, resource, 'create') && mayUse(actor, resource, 'delete'),
  );

export const createDeletedObjectHooks = (days: () => number) =>
  hooksFor(deletedObject, {
    visible: ({ actor }) => sql`(t.resource = any (${restorableBy(actor).map(({ name }) => name)})
      and t.date_deleted > now() - make_interval(days => ${days()}))`,
    columns: {
      resource_display: () => sql`t.resource`,
      date_expires: () => sql`t.date_deleted`,
    },
    present(rows, { caller: { language, zone } }) {
      for (const row of rows) {
        const { title } = RESOURCES.find(({ name }) => name === row.resource_display) ?? {};
        if (title) row.resource_display = say(title, language);
        if (row.date_expires instanceof Date)
          row.date_expires = formatDatetime(
            new Date(row.date_expires.getTime() + days() * DAY),
            zone,
          );
      }
    },
  });
