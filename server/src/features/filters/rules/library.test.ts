import { COMMAND_LIBRARY, commandFilterRule, type LibraryRule } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { spellCommand, wordsOfCommand } from '../../../gateway/protocols/redis/commands.ts';
import { readingsOf } from '../../../gateway/protocols/sql/readings.ts';
import { atOnce } from '../../../platform/slices.ts';
import { type CompiledRule, compileRule, contentProblem } from './compile.ts';
import { decide, decidingSpelled } from './decide.ts';
import { LIBRARY_LINES } from './testing/library-lines.ts';

const compiled = ({ id, content, action }: LibraryRule): CompiledRule =>
  compileRule({
    id,
    content,
    action,
    type: 'regex',
    priority: 50,
    terms: null,
    message: '',
    word: '',
    minutes: 5,
    filter: 'library',
  });

/** Evaluates a rule as the guard does for the kind of target. */
const MATCHERS: Readonly<Record<string, (rule: CompiledRule, line: string) => boolean>> = {
  linux: (rule, line) => decide([rule], line).rule !== undefined,
  network: (rule, line) => decide([rule], line).rule !== undefined,
  postgresql: matchesSql('postgresql'),
  mysql: matchesSql('mysql'),
  redis: (rule, line) => {
    const { lines, spellings } = spellCommand(wordsOfCommand(line) ?? []);
    return atOnce(decidingSpelled([rule], lines, [...lines, ...spellings])).rule !== undefined;
  },
};

function matchesSql(dialect: 'postgresql' | 'mysql') {
  return (rule: CompiledRule, text: string) =>
    (readingsOf(text, dialect) ?? []).flat().some(({ spelled: { lines, spellings } }) => {
      const all = [...new Set([...lines, ...spellings])];
      return atOnce(decidingSpelled([rule], lines, all)).rule !== undefined;
    });
}

const RULES = COMMAND_LIBRARY.flatMap(({ name, rules }) =>
  rules.map((rule) => ({ group: name, rule, id: rule.id })),
);

describe('the library of rules', () => {
  it('has different ids, and lines for exactly its rules', () => {
    const ids = RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(LIBRARY_LINES).toSorted()).toEqual(ids.toSorted());
  });

  it.each(RULES)('fits into the fields of a rule: $id', ({ rule }) => {
    const { content, comment, action } = commandFilterRule.fields;
    expect(contentProblem('regex', rule.content)).toBeUndefined();
    expect(rule.content.length).toBeLessThanOrEqual(content.max ?? 0);
    for (const sentence of Object.values(rule.sentence))
      expect(sentence.length).toBeLessThanOrEqual(comment.max ?? 0);
    expect(action.choices.map(({ value }) => value)).toContain(rule.action);
  });

  it.each(RULES)('matches its lines and no others: $id', ({ group, rule, id }) => {
    const [matches = [], passes = []] = LIBRARY_LINES[id] ?? [];
    const catches = (line: string) => MATCHERS[group]?.(compiled(rule), line);
    expect([...matches, rule.example].filter((line) => !catches(line))).toEqual([]);
    expect(passes.filter(catches)).toEqual([]);
    expect([matches.length > 0, passes.length > 0]).toEqual([true, true]);
  });

  it.each(RULES)('matches no everyday line of its targets: $id', ({ group, rule }) => {
    const catches = (line: string) => MATCHERS[group]?.(compiled(rule), line);
    expect((EVERYDAY[group] ?? []).filter(catches)).toEqual([]);
  });
});

const SQL = [
  'SELECT * FROM orders WHERE id = 1',
  "INSERT INTO notes (text) VALUES ('drop table orders; truncate orders')",
  'UPDATE orders SET state = 1 WHERE id = 2',
  'DELETE FROM orders WHERE id = 2',
  'CREATE TABLE t (id int primary key)',
  'ALTER TABLE t ADD COLUMN note text',
  'EXPLAIN SELECT 1',
  'BEGIN',
  'COMMIT',
];

const EVERYDAY: Readonly<Record<string, readonly string[]>> = {
  linux: [
    'ls -la /etc',
    'cd /var/log && tail -n 100 messages | grep -i error',
    'rm notes.txt',
    'cp -r /srv/app /srv/backup',
    'grep -r "rm -rf" .',
    'man shutdown',
    'systemctl status sshd',
    'systemctl restart nginx',
    'apt-get install curl',
    'docker ps -a',
    'kubectl get pods',
    'chmod 644 file',
    'dd if=/dev/zero of=/tmp/file bs=1M count=1',
    'echo done > /tmp/out',
    'cat /etc/passwd',
    'ip addr show',
    'ps aux > /dev/null 2>&1',
    'history | tail',
  ],
  network: [
    'show running-config',
    'show ip route',
    'display current-configuration',
    'display version',
    'configure terminal',
    'system-view',
    'interface GigabitEthernet0/1',
    'no shutdown',
    'undo shutdown',
    'write memory',
    'wr',
    'save',
    'copy running-config startup-config',
    'description reload at night',
    'ping 192.0.2.1',
    'quit',
    'exit',
  ],
  postgresql: SQL,
  mysql: [...SQL, 'SHOW TABLES', 'SET NAMES utf8mb4', 'USE shop'],
  redis: ['GET key', 'SET key value', 'SCAN 0', 'INFO', 'DEL key', 'HGETALL h', 'CONFIG GET dir'],
};
