import { Group, Text } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { words } from './words.ts';

/** The id of a session, also used in logs and names of recordings. */
export function SessionId({ id }: { readonly id: string }) {
  return (
    <Group gap="xs" mb="md">
      <Text span fz="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Text>
      <CopyButton text={id} label={t(words.copyId)} />
    </Group>
  );
}
