import type { Problem, SettingCategoryName, Settings } from '@sallyport/contract';

export type SettingProblems = Readonly<Record<string, readonly Problem[]>>;
/** Validates the values of a category together, as they would be in force. */
export type SettingRule = (settings: Settings) => SettingProblems;

/** Rules of categories, which the features of the categories add. */
export interface SettingRules {
  /** @throws Error if the category has a rule */
  addRule(category: SettingCategoryName, rule: SettingRule): void;
  problemsOf(category: SettingCategoryName, settings: Settings): SettingProblems;
}

export function createSettingRules(): SettingRules {
  const rules = new Map<SettingCategoryName, SettingRule>();
  return {
    addRule(category, rule) {
      if (rules.has(category)) throw new Error(`the settings ${category} have a rule`);
      rules.set(category, rule);
    },
    problemsOf: (category, settings) => rules.get(category)?.(settings) ?? {},
  };
}

export const REQUIRED: readonly Problem[] = [{ code: 'required' }];
const PERSON = ['username', 'name', 'email'] as const;

/**
 * Returns true if a map names a value for username, name and email, and no field besides these and
 * `more`.
 */
export function namesPerson(map: unknown, more: readonly string[] = []): boolean {
  const fields = Object.entries(map ?? {});
  return (
    fields.every(
      ([field, value]) =>
        [...PERSON, ...more].includes(field) && typeof value === 'string' && value.trim() !== '',
    ) && PERSON.every((field) => fields.some(([name]) => name === field))
  );
}
