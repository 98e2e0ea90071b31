import { commandFilterRule } from '@sallyport/contract';
import { Invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { contentProblem } from './rules/compile.ts';

/** The hooks of rules. Rejects invalid patterns, and patterns without a time bound. */
export const ruleHooks = hooksFor(commandFilterRule, {
  beforeSave(values, previous) {
    if (values.content === undefined && values.type === undefined) return;
    const problem = contentProblem(
      String(values.type ?? previous?.type ?? 'command'),
      String(values.content ?? previous?.content ?? ''),
    );
    if (problem) throw new Invalid({ content: [problem] });
  },
});
