import { t } from '../../../../kit/i18n/index.ts';
import { words as detail } from '../../../resource/detail/words.ts';
import type { Session } from '../session-actions.ts';
import { kinds, words } from './words.ts';

const KINDS = Object.keys(kinds) as (keyof typeof kinds)[];

/** The numbers of secrets masked in a session, most frequent kinds first; null if none was. */
export function maskedSecrets({ masked_secrets }: Pick<Session, 'masked_secrets'>): string | null {
  const counts = new Map<string, unknown>(Object.entries(masked_secrets ?? {}));
  const numbers = KINDS.flatMap((kind) => {
    const count = Number(counts.get(kind) ?? 0);
    return count > 0 ? [{ kind, count }] : [];
  }).sort((a, b) => b.count - a.count);
  if (numbers.length === 0) return null;
  return t(words.masked, {
    count: numbers.reduce((sum, { count }) => sum + count, 0),
    kinds: numbers.map(({ kind, count }) => t(kinds[kind], { count })).join(t(detail.comma)),
  });
}
