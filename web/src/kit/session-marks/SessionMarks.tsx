import { Badge } from '@mantine/core';
import { type SessionMarks as Marked, SESSION_MARKS } from '@sallyport/contract';
import { t } from '../i18n/index.ts';
import { words } from './words.ts';

/** Badges of the features for a session. */
export const SessionMarks = ({ session }: { readonly session: Marked }) =>
  SESSION_MARKS.filter(({ field }) => session[field]).map((mark) => (
    <SessionMark key={mark.field} mark={mark} />
  ));

/** The badge of a feature. */
export function SessionMark({ mark }: { readonly mark: (typeof SESSION_MARKS)[number] }) {
  return (
    <Badge
      color="red"
      variant="light"
      size="sm"
      title={t(mark.hint)}
      style={{ flexShrink: 0, marginInlineEnd: 6 }}
    >
      {t(mark.label)}
    </Badge>
  );
}

/** Badge of a running session; `quiet` uses a neutral color. */
export function LiveMark({ quiet = false }: { readonly quiet?: boolean }) {
  return (
    <Badge
      size="sm"
      {...(quiet ? { variant: 'light' } : { color: 'red', variant: 'filled' })}
      style={{ flexShrink: 0 }}
    >
      {t(words.live)}
    </Badge>
  );
}
