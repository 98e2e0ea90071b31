import { conditionHolds } from '@sallyport/contract';
import { compileRule, type RuleRow } from '../../server/src/features/filters/rules/compile.ts';
import { decide, inOrder } from '../../server/src/features/filters/rules/decide.ts';
import { atMost, type Figure, latency, percentile } from '../lib/figure.ts';

const RULES = 1_000;
const LINES = 20_000;

/**
 * Lists of commands and regular expressions as people write them, half of each; none names the
 * lines.
 */
const contentOf = (index: number): Pick<RuleRow, 'type' | 'content'> => {
  const patterns = [
    `\\brm\\s+-\\w*r\\w* /srv/data${index}`,
    `^systemctl\\s+stop\\s+unit${index}$`,
    `(?i)drop\\s+table\\s+t${index}\\b`,
    `(?:mkfs|wipefs)\\s+/dev/sd${index}`,
  ];
  if (index % 2 === 0)
    return {
      type: 'command',
      content: `stop service${index}\nremove-user${index} --now\n/opt/tools/wipe${index}`,
    };
  return { type: 'regex', content: patterns[(index >> 1) % patterns.length] ?? '' };
};

/** A condition that never holds: the guard has to look at the next rule. */
const TERMS = {
  name: 'At night',
  networks: [{ name: 'Office', networks: ['10.0.0.0/8', '192.168.0.0/16', '2001:db8::/32'] }],
  networks_excluded: false,
  hours: ['Mon-Fri 08:00-18:00', 'Sat 09:00-12:00'],
  time_zone: 'Asia/Shanghai',
  hours_excluded: true,
  valid_from: '2020-01-01 00:00:00 +0800',
  valid_until: '2020-12-31 00:00:00 +0800',
  period_excluded: false,
  factor_minutes: 0,
  factor_excluded: false,
  clients: 0,
  clients_excluded: false,
};
/** Every hundredth rule names the line outside of its condition. */
const NAMED = 100;
const HERE = { address: '10.1.2.3', client: 'ssh', now: Date.now() } as const;

/**
 * Measures the time of the guard for one typed line, where it has to try every rule. All have
 * conditions, and some name the line while their condition does not hold.
 */
export async function commandRules(): Promise<Figure[]> {
  const rules = inOrder(
    Array.from({ length: RULES }, (_, index) =>
      compileRule({
        id: String(index),
        filter: 'bench',
        terms: TERMS,
        message: '',
        word: '',
        minutes: 5,
        priority: 1 + (index % 100),
        action: index % 5,
        ...(index % NAMED === 0
          ? { type: 'command' as const, content: 'tail -n\ngrep -v' }
          : contentOf(index)),
      }),
    ),
  );
  const applies = ({ terms }: RuleRow) => terms === null || conditionHolds(terms, HERE) === true;
  const samples: number[] = [];
  for (let turn = 0; turn < LINES; turn++) {
    const line = `cd /srv/app-${turn} && tail -n ${turn % 500} logs/"request ${turn}".log | grep -v 'health' > /tmp/out.${turn}`;
    const began = performance.now();
    if (decide(rules, line, applies).rule) throw new Error('a rule of the bench named the line');
    samples.push(performance.now() - began);
  }
  const name = `Decision on one typed line with ${RULES} rules`;
  return [
    ...latency(
      name,
      samples,
      undefined,
      `${LINES} lines with quotes, half of the rules regular expressions, all five actions, all with conditions; ten name the line outside of their hours`,
    ),
    { name: `${name}, p99`, value: percentile(samples, 0.99), unit: 'ms', budget: atMost(1) },
  ];
}
