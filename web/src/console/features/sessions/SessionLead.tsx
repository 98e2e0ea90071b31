import { Alert, Group, Text } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

/**
 * The id of a session, also used in logs and names of recordings, and for an imported session where
 * it comes from.
 */
export function SessionLead({
  session: { id, imported_from: from, can_replay: canReplay },
}: {
  readonly session: Session;
}) {
  return (
    <>
      <Group gap="xs" mb="md">
        <Text span fz="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {id}
        </Text>
        <CopyButton text={id} label={t(words.copyId)} />
      </Group>
      {from && (
        <Alert color="gray" mb="md" title={t(words.importedFrom, { product: from })}>
          {t(words.importedNote, { product: from })} {!canReplay && t(words.recordingAway)}
        </Alert>
      )}
    </>
  );
}
