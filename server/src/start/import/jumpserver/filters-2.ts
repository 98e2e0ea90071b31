import type { Reading } from './people.ts';
import { columnOf, idOf, isTrue, organizationOf, pairsOf, textOf } from './values.ts';

const RULE_ACTIONS: Readonly<Record<string, string>> = {
  '0': 'deny',
  '1': 'allow',
  '2': 'hold',
  '9': 'allow',
};

export async function readFilters({ database, into }: Reading): Promise<void> {
  // Older versions check high priorities first, as Sallyport does; newer ones low priorities.
  const isLowFirst = database.has('assets_commandfilterrule_reviewers');
  const rules = new Map<string, Record<string, unknown>[]>();
  for await (const row of database.rows('assets_commandfilterrule')) {
    const action = RULE_ACTIONS[textOf(row.action)];
    if (action === undefined) {
      into.note(`assets_commandfilterrule ${idOf(row.id)}`, `action ${row.action} is unknown`);
      continue;
    }
    const filter = idOf(row.filter_id);
    const priority = Number(row.priority);
    const rule = {
      type: textOf(row.type) || 'command',
      content: textOf(row.content).replaceAll('\r\n', '\n'),
      action,
      priority: isLowFirst ? 101 - priority : priority,
      comment: textOf(row.comment).slice(0, 64),
    };
    rules.set(filter, [...(rules.get(filter) ?? []), rule]);
  }
  const systemUsers = new Map([
    ...(await pairsOf(database.rows('assets_systemuser_cmd_filters'), [
      'commandfilter_id',
      'systemuser_id',
    ])),
    ...(await pairsOf(database.rows('assets_commandfilter_system_users'), [
      'commandfilter_id',
      'systemuser_id',
    ])),
  ]);
  for await (const row of database.rows('assets_commandfilter')) {
    const [id, name] = [idOf(row.id), textOf(row.name)];
    into.add({
      kind: 'command_filter',
      id,
      organization: organizationOf(row),
      name,
      place: `assets_commandfilter ${id}`,
      fields: {
        name,
        is_active: isTrue(row.is_active),
        comment: textOf(columnOf(row, 'comment')),
        system_users: systemUsers.get(id) ?? [],
        rules: rules.get(id) ?? [],
      },
    });
  }
}
