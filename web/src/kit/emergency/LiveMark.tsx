import { Badge } from '@mantine/core';
import { t } from '../i18n/index.ts';
import { words } from './words.ts';

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
