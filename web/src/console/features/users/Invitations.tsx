import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { DEFAULT_ORGANIZATION_ID, type Invitation } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import type { Confirmation } from '../../../kit/dialogs/confirmation.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconPlus } from '../../../kit/icons.ts';
import { useSession } from '../../base/session.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { EmptyState } from '../../resource/list/EmptyState.tsx';
import listStyles from '../../resource/list/List.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { INVITATIONS_KEY, invitationsApi } from './invitations-api.ts';
import { words } from './words.ts';

/** One invitation: invited user, inviter, expiry and actions. */
function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const client = useQueryClient();
  const { account, invited_by: who, state, date_created: since, date_expired: until } = invitation;
  const isOpen = state === 'open';

  const ask = ({ run, ...question }: Confirmation) =>
    askFirst({
      ...question,
      run: async (...answer) => {
        await run(...answer);
        await client.invalidateQueries({ queryKey: INVITATIONS_KEY });
      },
    });

  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <Text component="span" fw={500}>
          {account}
        </Text>{' '}
        <Badge size="sm" variant="light" color={isOpen ? 'teal' : 'gray'}>
          {t(isOpen ? words.invitationOpen : words.invitationExpired)}
        </Badge>
        <Text fz="xs" c="dimmed">
          {t(isOpen ? words.invitedUntil : words.invitedWasUntil, {
            who,
            since: formatDate(since),
            until: formatDate(until),
          })}
        </Text>
      </div>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="light"
          aria-label={`${t(words.sendAgain)}: ${account}`}
          onClick={() =>
            ask({
              message: t(words.sendAgainQuestion, { account }),
              confirm: t(words.sendAgain),
              success: t(words.askedFirst),
              danger: false,
              run: () => invitationsApi.sendAgain(invitation),
            })
          }
        >
          {t(words.sendAgain)}
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          aria-label={`${t(words.withdraw)}: ${account}`}
          onClick={() =>
            ask({
              message: t(words.withdrawQuestion, { account }),
              confirm: t(words.withdraw),
              success: t(words.withdrawn),
              danger: true,
              run: () => invitationsApi.withdraw(invitation),
            })
          }
        >
          {t(words.withdraw)}
        </Button>
      </Group>
    </li>
  );
}

function InvitationList({ onInvite }: { readonly onInvite: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: INVITATIONS_KEY,
    queryFn: ({ signal }) => invitationsApi.list(signal),
    staleTime: 0,
  });
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  if (data.length > 0) {
    return (
      <div className={listStyles.card}>
        <ul className={styles.list} aria-label={t(words.invitations)}>
          {data.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div className={listStyles.card}>
      <EmptyState
        title={t(words.noInvitations)}
        hint={t(words.noInvitationsHint)}
        action={<Button onClick={onInvite}>{t(words.invite)}</Button>}
      />
    </div>
  );
}

/** Open invitations of the current organization. */
export function Invitations() {
  const { organization } = useSession();
  const [inviting, setInviting] = useState(false);
  const invite = () => setInviting(true);
  if (!organization?.id || organization.id === DEFAULT_ORGANIZATION_ID) {
    return (
      <>
        <PageHeader onBack={() => history.back()} />
        <div className={listStyles.card}>
          <EmptyState title={t(words.noInvitations)} hint={t(words.invitedElsewhere)} />
        </div>
      </>
    );
  }
  return (
    <>
      <PageHeader hint={t(words.invitationsHint)} onBack={() => history.back()}>
        <Button leftSection={<IconPlus size={16} />} onClick={invite}>
          {t(words.invite)}
        </Button>
      </PageHeader>
      <InvitationList onInvite={invite} />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
