import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ChangeSetDetail, MOST_PLANNED_DAYS, type ProposedChange } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { ApiError, api, type RefusedWrite, timeZone } from '../api.ts';
import { BASE_PATH } from '../base-path.ts';
import { withOverlays } from '../dialogs/overlay-host.tsx';
import { common, t } from '../i18n/index.ts';
import { changesOf, placeChangesOf, presetChangesOf, restorationOf } from './controlled.ts';
import { words } from './words.ts';

/** Maximum characters of a reason. */
const MOST_REASON = 500;

interface ProposalProps {
  readonly changes: readonly ProposedChange[];
  readonly onProposed: () => void;
  readonly close: () => void;
}

/** Returns a time of the browser's zone as the server reads it. */
const momentOf = (local: string): string => {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
};

/** Asks for the reason of changes, proposes them, and links to their change set. */
function Proposal({ changes, onProposed, close }: ProposalProps) {
  const [reason, setReason] = useState('');
  const [at, setAt] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [timeProblem, setTimeProblem] = useState('');
  const [id, setId] = useState('');

  async function propose(event: FormEvent) {
    event.preventDefault();
    if (busy || reason.trim() === '') return;
    setBusy(true);
    try {
      const body = { reason: reason.trim(), changes, apply_at: at ? momentOf(at) : null };
      const set = await api.post<ChangeSetDetail>('change-sets/', body, { quiet: true });
      setId(set.id);
      onProposed();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { apply_at: time, ...others } = error.fields ?? {};
      setTimeProblem(time?.join('; ') ?? '');
      setProblem(Object.values(others)[0]?.join('; ') ?? (time ? '' : error.message));
      setBusy(false);
    }
  }

  if (id)
    return (
      <Stack>
        <Text role="status">{t(words.proposed)}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {t(common.close)}
          </Button>
          <Button component="a" href={`${BASE_PATH}/perms/change-sets/${id}`} autoFocus>
            {t(words.open)}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={propose} noValidate>
      <Stack>
        <Text>{t(words.why)}</Text>
        <Textarea
          label={t(words.reason)}
          description={t(words.reasonHint)}
          required
          autosize
          minRows={2}
          maxRows={8}
          maxLength={MOST_REASON}
          data-autofocus
          disabled={busy}
          error={problem || undefined}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label={t(words.applyAt)}
          description={t(words.applyAtHint, { zone: timeZone(), days: MOST_PLANNED_DAYS })}
          disabled={busy}
          error={timeProblem || undefined}
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={busy}>
            {t(common.cancel)}
          </Button>
          <Button type="submit" loading={busy} disabled={reason.trim() === ''}>
            {t(words.propose)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * Offers to propose a write that change control refused. Returns true once it is proposed, and
 * false if the user cancels or the request names no objects.
 */
export async function offerProposal(write: RefusedWrite): Promise<boolean> {
  const read = <T,>(path: string) => api.get<T>(path, { quiet: true });
  const changes =
    (await presetChangesOf(write, read)) ??
    (await placeChangesOf(write, read)) ??
    (await restorationOf(write, read)) ??
    changesOf(write);
  if (changes.length === 0) return false;
  return new Promise((resolve) =>
    withOverlays((overlays) =>
      overlays.openDialog(
        t(words.title),
        (close) => <Proposal changes={changes} onProposed={() => resolve(true)} close={close} />,
        // Without effect after a proposal.
        () => resolve(false),
      ),
    ),
  );
}
