import { session } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import type { Session } from './session-actions.ts';

/**
 * Marks sessions with outdated SSH algorithms and names them; renders nothing for other sessions.
 */
export function OldSsh({
  session: { old_algorithms: names },
}: {
  readonly session: Pick<Session, 'old_algorithms'>;
}) {
  if (!names) return null;
  const label = `${t(session.fields.old_algorithms.label)}: ${names}`;
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      style={{ color: 'var(--mantine-color-error)', marginInlineEnd: 4 }}
    >
      <IconAlertTriangle size={14} aria-hidden="true" style={{ verticalAlign: '-2px' }} />
    </span>
  );
}
