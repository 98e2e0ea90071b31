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

/** Measures the time of the guard for one typed line, where it has to try every rule. */
export async function commandRules(): Promise<Figure[]> {
  const rules = inOrder(
    Array.from({ length: RULES }, (_, index) =>
      compileRule({
        id: String(index),
        filter: 'bench',
        terms: null,
        message: '',
        word: '',
        minutes: 5,
        priority: 1 + (index % 100),
        action: index % 5,
        ...contentOf(index),
      }),
    ),
  );
  const samples: number[] = [];
  for (let turn = 0; turn < LINES; turn++) {
    const line = `cd /srv/app-${turn} && tail -n ${turn % 500} logs/"request ${turn}".log | grep -v 'health' > /tmp/out.${turn}`;
    const began = performance.now();
    if (!decide(rules, line).isAllowed) throw new Error('a rule of the bench named the line');
    samples.push(performance.now() - began);
  }
  const name = `Decision on one typed line with ${RULES} rules`;
  return [
    ...latency(
      name,
      samples,
      undefined,
      `${LINES} lines with quotes, half of the rules regular expressions, all five actions`,
    ),
    { name: `${name}, p99`, value: percentile(samples, 0.99), unit: 'ms', budget: atMost(1) },
  ];
}
