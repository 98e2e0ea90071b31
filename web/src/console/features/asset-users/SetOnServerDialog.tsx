import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { assetUser } from '@sallyport/contract';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { useShowJob } from '../../resource/job/useShowJob.ts';
import { objectUrl } from '../../resource/source.ts';
import { FreshFactor } from '../mfa/index.ts';
import type { AssetUser } from './SecretDialog.tsx';
import { words } from './words.ts';

/**
 * Sets a stored password on its server and opens the page of the job. Asks for a fresh second
 * factor if required.
 */
export function SetOnServerDialog({
  account,
  onClose,
}: {
  readonly account: AssetUser;
  readonly onClose: () => void;
}) {
  const show = useShowJob();
  const [problem, setProblem] = useState<ApiError>();
  const [isStarting, setStarting] = useState(false);
  const needsFactor = problem?.code === 'mfa_verify_required';
  async function start() {
    setStarting(true);
    try {
      await show(
        await api.post<{ task: string }>(
          `${objectUrl(assetUser, account.id)}set-on-server/`,
          {},
          { quiet: true },
        ),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    } finally {
      setStarting(false);
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.setTitle)}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {needsFactor ? (
        <FreshFactor onProved={start} />
      ) : (
        <Stack gap="md">
          <Text fz="sm">
            {t(words.setQuestion, {
              version: account.version,
              username: account.username,
              hostname: account.hostname,
            })}
          </Text>
          <Text fz="sm" c="dimmed">
            {t(words.setHint)}
          </Text>
          {problem && (
            <Alert color="red" role="alert">
              {problem.message}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t(common.cancel)}
            </Button>
            <Button loading={isStarting} onClick={() => void start()}>
              {t(words.setOnServer)}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
