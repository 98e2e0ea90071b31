import type { LocalText } from '@sallyport/contract';
import { confirmed } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import { grantsNothing } from './sentence.ts';
import { words } from './words.ts';

const hasAny = (values: FormValues, fields: readonly string[]) =>
  fields.some((field) => {
    const value = values[field];
    return Array.isArray(value) && value.length > 0;
  });

/**
 * Asks before saving a permission that names no users or no targets. Returns true if it names both,
 * or the user agrees.
 */
export async function agreeToNothing(
  values: FormValues,
  targets: readonly string[],
  lacksTargets: LocalText,
): Promise<boolean> {
  const reasons = [
    ...(hasAny(values, ['users', 'user_groups']) ? [] : [words.lacksUsers]),
    ...(hasAny(values, targets) ? [] : [lacksTargets]),
  ];
  if (reasons.length === 0) return true;
  return confirmed({
    title: t(words.saveNothing),
    message: grantsNothing(reasons),
    confirm: t(words.saveAnyway),
    run: async () => undefined,
  }).then(
    () => true,
    () => false,
  );
}
