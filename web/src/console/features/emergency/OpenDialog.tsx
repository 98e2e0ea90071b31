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
import { FreshFactor } from '../mfa/index.ts';
import { MINE } from './EmergencyButton.tsx';
import { words } from './words.ts';

const USUAL_MINUTES = 30;
const MOST_REASON = 2_000;

interface Wish {
  readonly minutes: number | string;
  readonly reason: string;
  readonly account: string | undefined;
}

interface OpenDialogProps {
  readonly asset: EmergencyAsset;
  readonly onClose: () => void;
}

type Opening = ReturnType<typeof useOpening>;

/** Opens emergency access. The values stay while the dialog asks for the second factor. */
function useOpening({ asset, onClose }: OpenDialogProps) {
  const client = useQueryClient();
  const [wish, setWish] = useState<Wish>({
    minutes: Math.min(USUAL_MINUTES, asset.max_minutes),
    reason: '',
    account: asset.accounts[0]?.id,
  });
  const [problem, setProblem] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const [connects, setConnects] = useState(true);

  async function open(connect: boolean) {
    setConnects(connect);
    setBusy(true);
    try {
      const body = {
        rule: asset.rule,
        asset: asset.asset,
        minutes: Number(wish.minutes),
        reason: wish.reason.trim(),
      };
      await api.post<EmergencyOpened>(`${MINE.path}/`, body, { quiet: true });
      toast.success(t(words.opened));
      onClose();
      if (connect) openWindow(terminalAddress(asset.asset, wish.account));
      await client.invalidateQueries({ queryKey: cacheKey(MINE) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  return {
    wish,
    change: (part: Partial<Wish>) => setWish((before) => ({ ...before, ...part })),
    problem,
    busy,
    open,
    /** Repeats the last request. */
    openAgain: () => open(connects),
  };
}

/**
 * Opens emergency access. The dialog asks for duration, reason, account, and the second factor of
 * users who have one.
 */
export function OpenDialog(props: OpenDialogProps) {
  const { asset, onClose } = props;
  const opening = useOpening(props);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.openTitle, { asset: asset.hostname })}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {opening.problem?.code === 'mfa_verify_required' ? (
        <FreshFactor onProved={opening.openAgain} />
      ) : (
        <OpenForm asset={asset} onClose={onClose} opening={opening} />
      )}
    </Modal>
  );
}

/** Names the accounts that the access adds, then those that the user has without it. */
function accountsSentence({ accounts }: EmergencyAsset): string {
  const names = (isNew: boolean) =>
    accounts.filter((account) => account.is_new === isNew).map(({ name }) => name);
  const [added, kept] = [names(true).join(', '), names(false).join(', ')];
  if (added === '') return t(words.addsNothing, { kept });
  return kept === '' ? t(words.adds, { added }) : t(words.addsTo, { added, kept });
}

function OpenForm({
  asset,
  onClose,
  opening: { wish, change, problem, busy, open },
}: OpenDialogProps & { readonly opening: Opening }) {
  const fieldProblem = (name: string) => problem?.fields?.[name]?.join('; ');
  const incomplete = wish.reason.trim() === '' || Number(wish.minutes) < 1;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void open(true);
      }}
    >
      <Stack gap="md">
        <Text fz="sm" fw={600}>
          {accountsSentence(asset)}
        </Text>
        <Text fz="sm">{t(words.consequences)}</Text>
        <NumberInput
          label={t(words.minutes)}
          description={t(words.minutesHint, { max: asset.max_minutes })}
          value={wish.minutes}
          onChange={(minutes) => change({ minutes })}
          min={1}
          max={asset.max_minutes}
          allowDecimal={false}
          required
          error={fieldProblem('minutes')}
        />
        <Textarea
          label={t(words.reason)}
          description={t(words.reasonHint)}
          value={wish.reason}
          onChange={(event) => change({ reason: event.currentTarget.value })}
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
            data={asset.accounts.map(({ id, name, is_new: isNew }) => ({
              value: id,
              label: isNew ? name : t(words.alreadyYours, { name }),
            }))}
            value={wish.account ?? null}
            onChange={(id) => id && change({ account: id })}
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
  );
}
