import {
  Alert,
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import type { EmergencyAsset, EmergencyOpened } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { openWindow, terminalAddress } from '../../base/addresses.ts';
import { cacheKey } from '../../resource/source.ts';
import { FreshFactor } from '../profile/mfa/FreshFactor.tsx';
import { MINE } from './EmergencyButton.tsx';
import { words } from './words.ts';

const USUAL_MINUTES = 30;
const MOST_REASON = 2_000;

/**
 * Opens emergency access. The dialog asks for duration, reason, account, and the second factor of
 * users who have one.
 */
export function OpenDialog({
  asset,
  onClose,
}: {
  readonly asset: EmergencyAsset;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [minutes, setMinutes] = useState<number | string>(
    Math.min(USUAL_MINUTES, asset.max_minutes),
  );
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const [account, setAccount] = useState(asset.accounts[0]?.id);
  // Kept while the dialog asks for the second factor.
  const [connects, setConnects] = useState(true);
  const fieldProblem = (name: string) => problem?.fields?.[name]?.join('; ');

  async function open(connect: boolean) {
    setConnects(connect);
    setBusy(true);
    try {
      const body = {
        rule: asset.rule,
        asset: asset.asset,
        minutes: Number(minutes),
        reason: reason.trim(),
      };
      await api.post<EmergencyOpened>(`${MINE.path}/`, body, { quiet: true });
      toast.success(t(words.opened));
      onClose();
      if (connect) openWindow(terminalAddress(asset.asset, account));
      await client.invalidateQueries({ queryKey: cacheKey(MINE) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  const incomplete = reason.trim() === '' || Number(minutes) < 1;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.openTitle, { asset: asset.hostname })}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {problem?.code === 'mfa_verify_required' ? (
        <FreshFactor onProved={() => open(connects)} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void open(true);
          }}
        >
          <Stack gap="md">
            <Text fz="sm">{t(words.consequences)}</Text>
            <NumberInput
              label={t(words.minutes)}
              description={t(words.minutesHint, { max: asset.max_minutes })}
              value={minutes}
              onChange={setMinutes}
              min={1}
              max={asset.max_minutes}
              allowDecimal={false}
              required
              error={fieldProblem('minutes')}
            />
            <Textarea
              label={t(words.reason)}
              description={t(words.reasonHint)}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
              required
              autosize
              minRows={3}
              maxRows={10}
              maxLength={MOST_REASON}
              error={fieldProblem('reason')}
              data-autofocus
            />
            {asset.accounts.length > 1 && (
              <Select
                label={t(words.account)}
                description={t(words.accountHint)}
                data={asset.accounts.map(({ id, name }) => ({ value: id, label: name }))}
                value={account ?? null}
                onChange={(id) => id && setAccount(id)}
                allowDeselect={false}
              />
            )}
            {problem && !problem.fields && (
              <Alert color="red" role="alert">
                {problem.message}
              </Alert>
            )}
            {fieldProblem('asset') && (
              <Alert color="red" role="alert">
                {fieldProblem('asset')}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t(common.cancel)}
              </Button>
              <Button
                variant="light"
                color="red"
                disabled={incomplete || busy}
                onClick={() => void open(false)}
              >
                {t(words.openNow)}
              </Button>
              <Button type="submit" color="red" loading={busy} disabled={incomplete}>
                {t(words.openAndConnect)}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
