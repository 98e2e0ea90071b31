import { Badge } from '@mantine/core';
import { t } from '../i18n/index.ts';
import { words } from './words.ts';

/** Marks a session in which emergency access is used. */
export function EmergencyMark() {
  return (
    <Badge
      color="red"
      variant="light"
      size="sm"
      tt="none"
      title={t(words.hint)}
      style={{ flexShrink: 0, marginInlineEnd: 6 }}
    >
      {t(words.mark)}
    </Badge>
  );
}
