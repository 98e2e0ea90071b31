import '../../../kit/styles-more.css';
import { Button, Group, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { cacheKey } from '../../resource/source.ts';
import { words } from './words.ts';

const MAX = 100;

/** What was wrong, with the account it is about where there are several. */
function problemOf(error: ApiError, accounts: readonly string[]): string {
  const items = error.items?.flatMap((messages, index) => Object.values(messages).flatMap((texts) => texts.map((text) => `${accounts[index] ?? ''}: ${text}`)));
  return (items ?? Object.values(error.fields ?? {}).flat()).join('; ') || error.message;
}

/** Takes accounts that exist already into the current organization. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [accounts, setAccounts] = useState<string[]>([]);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (accounts.length === 0) {
      setProblem(t(common.required));
      return;
    }
    setBusy(true);
    try {
      await api.post('users/users/invite/', { accounts }, { quiet: true });
      toast.success(t(words.invited));
      await client.invalidateQueries({ queryKey: cacheKey(user) });
      onClose();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProblem(problemOf(cause, accounts));
      setBusy(false);
    }
  }

  return (
    <Modal opened onClose={onClose} title={t(words.invite)} closeButtonProps={{ 'aria-label': t(common.close) }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text fz="sm" c="dimmed">
            {t(words.inviteHint)}
          </Text>
          <TagsInput
            label={t(words.accounts)}
            withAsterisk
            data-autofocus
            maxTags={MAX}
            splitChars={[',', ' ', ';', '，']}
            acceptValueOnBlur
            value={accounts}
            error={problem || undefined}
            onChange={(value) => {
              setAccounts(value);
              setProblem('');
            }}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" loading={busy}>
              {t(common.confirm)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
