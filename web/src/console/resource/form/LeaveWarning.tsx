import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/**
 * Asks for confirmation before unsaved changes are lost, on navigation and when the window closes.
 */
export function LeaveWarning({ dirty }: { readonly dirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => dirty,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Modal opened onClose={blocker.reset} title={t(words.leaveTitle)}>
      <Stack>
        <Text>{t(words.leaveText)}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={blocker.reset} data-autofocus>
            {t(words.stay)}
          </Button>
          <Button color="red" onClick={blocker.proceed}>
            {t(words.leave)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
