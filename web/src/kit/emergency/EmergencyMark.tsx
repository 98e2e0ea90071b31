import { Badge } from '@mantine/core';
import { t } from '../i18n/index.ts';
import { words } from './words.ts';

/** Badge of a session with emergency access. */
export function EmergencyMark() {
  return (
    <Badge
      color="red"
      variant="light"
      size="sm"
      title={t(words.hint)}
      style={{ flexShrink: 0, marginInlineEnd: 6 }}
    >
      {t(words.mark)}
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
