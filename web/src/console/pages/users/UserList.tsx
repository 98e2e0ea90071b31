import { type Row, user } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useActivation } from '../../resource/bulk/useChangeRows.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { words } from './words.ts';

const PATH = '/users/users';
const LONG_DAYS = 36_500;

const BULK_UPDATE = {
  fields: ['groups', 'date_expired', 'comment'],
  initial: () => ({ date_expired: new Date(Date.now() + LONG_DAYS * 86_400_000).toISOString() }),
};

/** Everybody who can sign in. */
export function UserList() {
  const activation = useActivation(user);
  return (
    <>
      <PageHeader />
      <ResourceList<Row<typeof user>>
        source={user}
        columns={[
          { name: 'name' },
          { name: 'username' },
          { name: 'groups_display', width: 200 },
          { name: 'role', width: 120 },
          { name: 'source', width: 120 },
          { name: 'is_valid' },
          { name: 'email', hidden: true },
          { name: 'last_login', hidden: true },
          { name: 'date_expired', hidden: true },
          { name: 'date_joined', hidden: true },
          { name: 'comment', hidden: true },
        ]}
        link={({ id }) => `${PATH}/${id}`}
        create={{ path: `${PATH}/create` }}
        update={({ id }) => `${PATH}/${id}/update`}
        canUpdate={(row) => row.can_update}
        canDelete={(row) => row.can_delete}
        hasDelete
        bulkUpdate={BULK_UPDATE}
        bulkActions={activation}
        emptyHint={t(words.emptyUsers)}
      />
    </>
  );
}
