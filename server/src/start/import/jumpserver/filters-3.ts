import { type Accounts, ALL } from './accounts-3.ts';
import type { Reading } from './people.ts';
import { idOf, isTrue, jsonOf, organizationOf, pairsOf, textOf } from './values.ts';

/** Returns true if a filter is for all users or assets, in the format of any version. */
function isForAll(value: unknown): boolean {
  const rule = jsonOf(value);
  if (typeof rule !== 'object' || rule === null) return false;
  if ('type' in rule) return rule.type === 'all';
  const lists = Object.values(rule);
  return lists.length > 0 && lists.every((list) => Array.isArray(list) && list.includes('*'));
}

const ACTIONS: Readonly<Record<string, string>> = {
  reject: 'deny',
  accept: 'allow',
  review: 'hold',
  warning: 'warn',
  warn: 'warn',
};

/** Reads command filters. Those for some users or assets have no counterpart. */
export async function readFilters3({ database, into }: Reading, accounts: Accounts): Promise<void> {
  const groups = new Map<string, { type: string; content: string; ignoresCase: boolean }>();
  for await (const row of database.rows('acls_commandgroup'))
    groups.set(idOf(row.id), {
      type: textOf(row.type),
      content: textOf(row.content).replaceAll('\r\n', '\n'),
      ignoresCase: isTrue(row.ignore_case),
    });
  const used = await pairsOf(database.rows('acls_commandfilteracl_command_groups'), [
    'commandfilteracl_id',
    'commandgroup_id',
  ]);
  for await (const row of database.rows('acls_commandfilteracl')) {
    const [id, name, organization] = [idOf(row.id), textOf(row.name), organizationOf(row)];
    const place = `acls_commandfilteracl ${id}`;
    const action = ACTIONS[textOf(row.action)];
    if (!isForAll(row.users) || !isForAll(row.assets) || action === undefined) {
      into.note(
        place,
        action === undefined
          ? `action ${textOf(row.action)} is unknown; the filter is not imported`
          : 'is for some users or assets only; a filter here is for system users, so it is not imported',
      );
      continue;
    }
    const list = jsonOf(row.accounts);
    const usernames = new Set(Array.isArray(list) ? list.map(String) : []);
    const isMeant = (username: string) =>
      usernames.has(ALL) || usernames.has('*') || usernames.has(username);
    const rules = (used.get(id) ?? []).flatMap((group) => {
      const commands = groups.get(group);
      return commands
        ? {
            type: commands.type === 'regex' ? 'regex' : 'command',
            content:
              commands.type === 'regex' && commands.ignoresCase
                ? `(?i)${commands.content}`
                : commands.content,
            action,
            // The source checks low numbers first.
            priority: Math.min(100, Math.max(1, 101 - Number(row.priority))),
          }
        : [];
    });
    into.add({
      kind: 'command_filter',
      id,
      organization,
      name: name.slice(0, 64),
      place,
      fields: {
        name: name.slice(0, 64),
        is_active: isTrue(row.is_active),
        comment: textOf(row.comment),
        system_users: accounts
          .loginsOf(organization, isMeant)
          .map((login) => accounts.systemUser(organization, login)),
        rules,
      },
    });
  }
}
