import {
  SETTING_CATEGORIES,
  type SettingCategory,
  type SettingCategoryName,
  SIGN_IN_SETTINGS,
} from '@sallyport/contract';

export const CATEGORIES: readonly [SettingCategoryName, SettingCategory][] = Object.entries(
  SETTING_CATEGORIES,
) as [SettingCategoryName, SettingCategory][];

export const CATEGORY_OF: ReadonlyMap<string, SettingCategoryName> = new Map(
  CATEGORIES.flatMap(([category, { fields }]) =>
    Object.keys(fields).map((name) => [name, category] as const),
  ),
);

/**
 * Categories that control access. Changing them requires a proof of identity, not just an open
 * page.
 */
export const CONFIRMED_CATEGORIES: ReadonlySet<string> = new Set([
  'security',
  ...Object.keys(SIGN_IN_SETTINGS),
]);
