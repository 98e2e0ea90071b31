import { createGuard } from '../../features/connections/guard.ts';
import { type CompiledRule, compileRule } from '../../features/filters/rules/compile.ts';
import { decide } from '../../features/filters/rules/decide.ts';
import type { Guard } from '../../gateway/ports/guard.ts';

/** A rule that denies one command, in a filter of the name `corpus`. */
export function denyRule(command: string): CompiledRule {
  return compileRule({
    id: crypto.randomUUID(),
    type: 'command',
    content: command,
    priority: 50,
    action: 0,
    terms: null,
    message: '',
    word: '',
    minutes: 5,
    filter: 'corpus',
  });
}

/** The guard of the product with fixed rules. `onDecide` gets each line before they decide. */
export function ruleGuard(
  rules: readonly CompiledRule[],
  onDecide: (line: string) => void = () => undefined,
): Guard {
  return createGuard(
    {
      has: () => true,
      known: () => Promise.resolve(),
      decideStatement: async () => ({ isAllowed: false }),
      decide: async (_account, text) => {
        onDecide(text);
        for (const line of text.split(/\r\n|\r|\n/)) {
          const decision = decide(rules, line);
          if (!decision.isAllowed) return decision;
        }
        return { isAllowed: true };
      },
    },
    async () => null,
  );
}
