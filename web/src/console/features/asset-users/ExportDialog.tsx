import { Alert, Button, Group, Modal, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, addressOf, api, timeZone } from '../../../kit/api.ts';
import { download } from '../../../kit/download.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import {
  type ExportFormat,
  type ListExtent,
  meaningful,
} from '../../resource/transfer/export-address.ts';
import { FileTypeChoice } from '../../resource/transfer/FileTypeChoice.tsx';
import { FreshFactor } from '../mfa/index.ts';
import { SECRETS_PATH } from './SecretDialog.tsx';
import { words } from './words.ts';

/**
 * An id without an account. Requesting it shows if the user may read secrets, without revealing
 * one.
 */
const NOTHING = 'nothing';

/** Exports accounts with their secrets as a file. Asks for a fresh second factor if required. */
export function ExportDialog({
  extent: { base, query, selected },
  onClose,
}: {
  readonly extent: ListExtent;
  readonly onClose: () => void;
}) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [range, setRange] = useState(selected.length > 0 ? 'selected' : 'all');
  const allowed = useQuery({
    queryKey: ['asset-user-secrets-allowed'],
    queryFn: ({ signal }) =>
      api.get(SECRETS_PATH, { query: { ids: NOTHING, limit: 1 }, signal, quiet: true }),
    retry: false,
    gcTime: 0,
  });
  const needsFactor =
    allowed.error instanceof ApiError && allowed.error.code === 'mfa_verify_required';
  function save() {
    const rows =
      range === 'selected' ? { ...base, ids: selected } : { ...base, ...meaningful(query) };
    download(addressOf(SECRETS_PATH, { ...rows, format, tz: timeZone() }));
    onClose();
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.exportSecrets)}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {needsFactor ? (
        <FreshFactor onProved={() => allowed.refetch()} />
      ) : (
        <Stack>
          <Alert color="yellow">{t(words.exportHint)}</Alert>
          <Radio.Group aria-label={t(words.exportSecrets)} value={range} onChange={setRange}>
            <Stack gap="xs">
              <Radio value="all" label={t(words.exportAll)} />
              {selected.length > 0 && (
                <Radio
                  value="selected"
                  label={t(words.exportSelected, { count: selected.length })}
                />
              )}
            </Stack>
          </Radio.Group>
          <FileTypeChoice format={format} onChange={setFormat} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t(common.cancel)}
            </Button>
            <Button onClick={save} disabled={!allowed.isSuccess}>
              {t(words.download)}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
