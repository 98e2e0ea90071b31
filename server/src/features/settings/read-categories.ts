import {
  featureOfSettings,
  type Problem,
  parseBody,
  SETTING_CATEGORIES,
  SETTINGS_OF_A_PUT,
  type SettingCategory,
  type SettingCategoryName,
} from '@sallyport/contract';
import { InvalidCategories, invalid } from '../../platform/errors.ts';

export const CATEGORIES: readonly [SettingCategoryName, SettingCategory][] = Object.entries(
  SETTING_CATEGORIES,
) as [SettingCategoryName, SettingCategory][];

export const CATEGORY_OF: ReadonlyMap<string, SettingCategoryName> = new Map(
  CATEGORIES.flatMap(([category, { fields }]) =>
    Object.keys(fields).map((name) => [name, category] as const),
  ),
);

/** Returns true for a category whose feature is not off. */
const isServed = (category: string, without: readonly string[]): boolean => {
  const feature = featureOfSettings(category);
  return Object.hasOwn(SETTING_CATEGORIES, category) && !(feature && without.includes(feature));
};

/** The categories of an installation that switched off some features. */
export const categoriesOf = (without: readonly string[] = []) =>
  CATEGORIES.filter(([category]) => isServed(category, without));

/** Replaces whole categories, or changes single settings. */
export type ChangeMode = 'replace' | 'change';
export type SettingValues = Record<string, unknown>;

/**
 * Reads the categories of a body. A change can also contain single keys without their category. A
 * replacement leaves alone what it does not name, except for settings that every client names: a
 * client of an earlier version must not fail over, nor reset, a setting that it does not know.
 * @throws InvalidCategories with the problems of each field, by category
 */
export function readCategories(
  body: unknown,
  mode: ChangeMode,
  zone: string,
  without: readonly string[] = [],
): SettingValues {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('non_field_errors', 'not_object');
  const problems: Record<string, Record<string, Problem[]>> = Object.create(null);
  const parts = new Map<string, unknown>(
    Object.entries(body).filter(([name]) => isServed(name, without)),
  );
  for (const [name, value] of Object.entries(body)) {
    const category = mode === 'change' ? CATEGORY_OF.get(name) : undefined;
    if (category && isServed(category, without))
      parts.set(category, { ...(parts.get(category) as object | undefined), [name]: value });
    else if (!isServed(name, without))
      problems[name.slice(0, 64)] = { non_field_errors: [{ code: 'unknown_field' }] };
  }
  const values: SettingValues = {};
  for (const [category, { fields }] of CATEGORIES) {
    if (!parts.has(category)) continue;
    const part = parts.get(category);
    const parsed = parseBody(fields, part, 'change', { zone });
    if (mode === 'replace' && !parsed.problems.non_field_errors)
      for (const name of SETTINGS_OF_A_PUT)
        if (Object.hasOwn(fields, name) && !Object.hasOwn(part as object, name))
          parsed.problems[name] = [{ code: 'required' }];
    if (Object.keys(parsed.problems).length > 0) problems[category] = parsed.problems;
    Object.assign(values, parsed.values);
  }
  if (Object.keys(problems).length > 0) throw new InvalidCategories(problems);
  return values;
}
