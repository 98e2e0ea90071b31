import verifier from 'virtual:evidence-page';
import { Alert, Anchor, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import type { EvidencePreview } from '@sallyport/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, addressOf, api, timeZone } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { download } from '../../../kit/download.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { DateTimeField } from '../../resource/form/DateTimeField.tsx';
import { presetRange } from '../../resource/list/search/dates.ts';
import { words } from './words.ts';

const DAYS = 7;

interface DialogProps {
  /** The session to export; undefined for a period. */
  readonly session?: string;
  readonly onClose: () => void;
}

/** Says how a person without access to the server proves the file. */
function HowToVerify() {
  return (
    <Stack gap={4}>
      <Text fw={600} fz="sm">
        {t(words.toVerify)}
      </Text>
      <List type="ordered" fz="sm" spacing={4}>
        <List.Item>
          <Anchor href={verifier} download="sallyport-evidence-verifier.html" fz="sm">
            {t(words.saveVerifier)}
          </Anchor>{' '}
          {t(words.keepVerifier)}
        </List.Item>
        <List.Item>{t(words.chooseFiles)}</List.Item>
      </List>
    </Stack>
  );
}

/** Downloads the evidence of a session or of a period, and says how to verify it. */
export function EvidenceDialog({ session, onClose }: DialogProps) {
  const [{ dateFrom, dateTo }, setRange] = useState(() => presetRange(DAYS));
  const query = { from: dateFrom, to: dateTo, tz: timeZone() };
  const start = useMutation({
    mutationFn: async () => {
      if (session !== undefined) {
        download(`/api/v1/audits/evidence/${encodeURIComponent(session)}/`);
        return;
      }
      // A download cannot show an error.
      const { sessions } = await api.get<EvidencePreview>('audits/evidence/preview/', {
        query,
        quiet: true,
      });
      download(addressOf('audits/evidence/', query));
      toast.success(t(words.started, { count: sessions }));
    },
    onSuccess: onClose,
  });
  const { error } = start;
  const fields = error instanceof ApiError ? error.fields : undefined;
  return (
    <Modal opened onClose={onClose} title={t(words.exportEvidence)} size="lg">
      <Stack>
        <Text c="dimmed" fz="sm">
          {t(session === undefined ? words.ofPeriod : words.ofSession)}
        </Text>
        {session === undefined && (
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <DateTimeField
              label={t(words.from)}
              value={dateFrom}
              onChange={(from) => setRange({ dateFrom: from, dateTo })}
              error={fields?.from?.[0]}
              required
            />
            <DateTimeField
              label={t(words.to)}
              value={dateTo}
              onChange={(to) => setRange({ dateFrom, dateTo: to })}
              error={fields?.to?.[0]}
              required
            />
          </Group>
        )}
        {error && !fields && (
          <Alert color="red" role="alert">
            {error.message}
          </Alert>
        )}
        <HowToVerify />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.cancel)}
          </Button>
          <Button loading={start.isPending} onClick={() => start.mutate()}>
            {t(words.export)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
