import { Group, Radio, Text } from '@mantine/core';
import { allows, type Invited, type OrganizationRole, Permission, user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { TagsField } from '../../../kit/TagsField.tsx';
import { useSession } from '../../base/session.tsx';
import { FormDialog } from '../../resource/dialog/FormDialog.tsx';
import { cacheKey } from '../../resource/source.ts';
import { INVITATIONS_KEY } from './invitations-api.ts';
import { INVITED_AS, words } from './words.ts';

const MAX = 100;
const ROLES: readonly OrganizationRole[] = ['User', 'Auditor', 'Admin'];

/** The error text; names the account if several were entered. */
function problemOf(error: ApiError, accounts: readonly string[]): string {
  const items = error.items?.flatMap((messages, index) =>
    Object.values(messages).flatMap((texts) =>
      texts.map((text) => `${accounts[index] ?? ''}: ${text}`),
    ),
  );
  return (items ?? Object.values(error.fields ?? {}).flat()).join('; ') || error.message;
}

/** Invites existing accounts to the current organization. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const { role: own } = useSession();
  // Only administrators above organizations may choose a role: an organization administrator must
  // not create others.
  const mayChoose = allows(own.permissions, Permission.SUPER | Permission.ADMIN);
  const [role, setRole] = useState<OrganizationRole>('User');
  const [accounts, setAccounts] = useState<string[]>([]);
  const [problem, setProblem] = useState('');

  async function submit() {
    if (accounts.length === 0) {
      setProblem(t(common.required));
      return;
    }
    try {
      const done = await api.post<readonly Invited[]>(
        'users/users/invite/',
        { accounts, role },
        { quiet: true },
      );
      toast.success(
        t(done.some(({ state }) => state === 'invited') ? words.askedFirst : words.invited),
      );
      await Promise.all(
        [cacheKey(user), INVITATIONS_KEY].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      onClose();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProblem(problemOf(cause, accounts));
    }
  }

  return (
    <FormDialog title={t(words.invite)} confirm={t(words.invite)} onClose={onClose} submit={submit}>
      {() => (
        <>
          <Text fz="sm" c="dimmed">
            {t(words.inviteHint)}
          </Text>
          <TagsField
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
          {mayChoose && (
            <Radio.Group
              label={t(words.inviteAs)}
              value={role}
              onChange={(value) => setRole(ROLES.find((one) => one === value) ?? 'User')}
            >
              <Group mt={4}>
                {ROLES.map((one) => (
                  <Radio key={one} value={one} label={t(INVITED_AS[one])} />
                ))}
              </Group>
            </Radio.Group>
          )}
        </>
      )}
    </FormDialog>
  );
}
