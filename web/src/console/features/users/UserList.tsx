import { Button } from '@mantine/core';
import { allows, DEFAULT_ORGANIZATION_ID, Permission, type Row, user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { Avatar } from '../../../kit/avatar/Avatar.tsx';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useGoButton } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { useActivation } from '../../resource/bulk/useChangeRows.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { refusalToDelete } from '../../resource/list/table/row-actions.ts';
import { State } from '../../resource/list/table/State.tsx';
import { Chips } from '../../resource/object/Chips.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { cacheKey, listUrl, nameSet, objectUrl } from '../../resource/source.ts';
import { mfaText } from '../mfa/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { LockedAddresses } from './LockedAddresses.tsx';
import { words } from './words.ts';

const InviteDialog = lazyComponent(() =>
  import('./InviteDialog.tsx').then((module) => module.InviteDialog),
);

const OffboardDialog = lazyComponent(() =>
  import('./offboard/OffboardDialog.tsx').then((module) => module.OffboardDialog),
);

type User = Row<typeof user>;
const NEWCOMERS_PATH = '/users/newcomers';
const LONG_DAYS = 36_500;

const BULK_UPDATE = {
  fields: ['groups', 'date_expired', 'comment'],
  initial: () => ({ date_expired: new Date(Date.now() + LONG_DAYS * 86_400_000).toISOString() }),
};

/**
 * All accounts; in an organization, its members. Members are invited and removed without losing
 * their accounts.
 */
/** The picture stays next to a name that takes two lines. */
const NAMED = { display: 'inline-flex', alignItems: 'center' } as const;

export function UserList() {
  const activation = useActivation(user);
  const remove = useRemoveUsers();
  const { organization, role } = useSession();
  const goButton = useGoButton();
  const { narrow } = useBreakpoints();
  const [leaving, setLeaving] = useState<User>();
  const [inviting, setInviting] = useState(false);
  const offboard = (row: User) => ({
    key: 'offboard',
    label: t(words.offboard),
    danger: true,
    ...(!row.can_delete && { refusal: t(words.reasonOnPage) }),
    run: () => setLeaving(row),
  });
  const isDefault = !organization?.id || organization.id === DEFAULT_ORGANIZATION_ID;
  return (
    <>
      <PageHeader />
      {allows(role.current, Permission.SUPER | Permission.ADMIN) && <LockedAddresses />}
      <ResourceList<User>
        source={user}
        columns={[
          {
            name: 'name',
            essential: true,
            cell: ({ id, name }) => (
              <span style={NAMED}>
                <Avatar name={name} id={id} />
                {name}
              </span>
            ),
          },
          { name: 'username' },
          {
            name: 'groups_display',
            width: 200,
            cell: (row) => (
              <Chips
                resource="user_group"
                objects={row.first_names.groups}
                count={row.groups.length}
              />
            ),
          },
          { name: 'role', width: 120 },
          { name: 'source', width: 110, hidden: narrow },
          { name: 'is_valid', width: 130, essential: true, cell: (row) => <State of={row} /> },
          { name: 'last_login', label: words.lastSignIn, width: 130 },
          {
            name: 'mfa_level',
            width: 100,
            hidden: narrow,
            cell: ({ mfa_level: level }) => mfaText(level),
          },
          { name: 'email', hidden: true },
          { name: 'date_expired', hidden: true },
          { name: 'date_joined', hidden: true },
          { name: 'is_active', hidden: true },
          { name: 'login_blocked', hidden: true },
          { name: 'date_password_last_updated', hidden: true },
          { name: 'created_by', hidden: true },
          { name: 'phone', hidden: true },
          { name: 'wechat', hidden: true },
          { name: 'comment', hidden: true },
        ]}
        canUpdate={(row) => row.can_update || t(words.reasonOnPage)}
        canDelete={(row) => row.can_delete || t(words.reasonOnPage)}
        hasDelete={isDefault}
        extraActions={(row) => [...(isDefault ? [] : [remove.one(row)]), offboard(row)]}
        bulkUpdate={BULK_UPDATE}
        bulkActions={(rows, done) => [
          ...(isDefault ? [] : [remove.selected(rows, done)]),
          ...activation(rows),
        ]}
        toolbar={
          <>
            <Button variant="default" {...goButton(NEWCOMERS_PATH)}>
              {t(words.inviteNewUsers)}
            </Button>
            {!isDefault && (
              <>
                <Button variant="default" onClick={() => setInviting(true)}>
                  {t(words.invite)}
                </Button>
                <Button variant="default" {...goButton('/users/invitations')}>
                  {t(words.invitations)}
                </Button>
              </>
            )}
          </>
        }
        emptyHint={t(words.emptyUsers)}
      />
      {leaving && (
        <OffboardDialog id={leaving.id} name={leaving.name} onClose={() => setLeaving(undefined)} />
      )}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}

/** Removes users from the current organization; their accounts remain. */
function useRemoveUsers() {
  const client = useQueryClient();
  const ask = (what: string, ids: readonly string[], run: () => Promise<unknown>) =>
    askFirst({
      consequences: { action: 'delete', resource: 'user', ids },
      message: t(words.removeQuestion, { what }),
      confirm: t(common.remove),
      danger: true,
      success: t(common.removeSuccess),
      failure: t(words.removeFailed),
      run: async () => {
        await run();
        await client.invalidateQueries({ queryKey: cacheKey(user) });
      },
    });
  return {
    one: (row: User): RowAction => ({
      key: 'remove',
      label: t(common.remove),
      danger: true,
      ...(!row.can_delete && { refusal: t(words.reasonOnPage) }),
      run: () =>
        ask(row.name, [row.id], () => api.delete(objectUrl(user, row.id), { quiet: true })),
    }),
    selected: (rows: readonly User[], done: () => void): RowAction => ({
      key: 'remove',
      label: t(words.removeSelected),
      danger: true,
      refusal: refusalToDelete(
        rows,
        ({ can_delete }) => can_delete || t(words.reasonOnPage),
        ({ name }) => name,
      ),
      run: () => {
        const ids = rows.map(({ id }) => id);
        ask(t(words.rows, { count: rows.length }), ids, async () => {
          const spm = await nameSet(ids);
          await api.delete(listUrl(user), { query: { spm }, quiet: true });
          done();
        });
      },
    }),
  };
}
