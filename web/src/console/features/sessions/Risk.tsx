import { Text } from '@mantine/core';
import { isDeclined, session } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { choiceText } from '../../resource/list/table/columns.tsx';
import { words } from './words.ts';

/** Returns true if a session or command has no risk to report, and was not declined. */
export const isOrdinary = ({
  risk_level: level,
  is_failed: failed = false,
  verdict = 'none',
}: {
  readonly risk_level: number;
  readonly is_failed?: boolean;
  readonly verdict?: string;
}): boolean => level === 0 && !failed && !isDeclined(verdict);

/**
 * The risk of a command or session, marked only if not ordinary. For a statement: also its failure.
 * A command that its user declined says so instead.
 */
export function Risk({
  level,
  denied = false,
  failed = false,
  verdict = 'none',
}: {
  readonly level: number;
  readonly denied?: boolean;
  readonly failed?: boolean;
  readonly verdict?: string;
}) {
  if (isDeclined(verdict)) return <span style={{ whiteSpace: 'nowrap' }}>{t(words.declined)}</span>;
  if (level === 0 && failed) {
    return (
      <Text span fz="inherit" fw={600} style={{ whiteSpace: 'nowrap' }}>
        {t(words.failed)}
      </Text>
    );
  }
  if (level === 0)
    return (
      <span style={{ color: 'var(--mantine-color-dimmed)' }}>
        {choiceText(session.fields.risk_level, level)}
      </span>
    );
  return (
    <Text
      span
      fz="inherit"
      fw={600}
      c="var(--mantine-color-error)"
      style={{ whiteSpace: 'nowrap' }}
    >
      {denied ? t(words.denied) : choiceText(session.fields.risk_level, level)}
    </Text>
  );
}
