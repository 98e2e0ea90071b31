import { loginLog, type OwnLoginLog } from '@sallyport/contract';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import type { Source } from '../../resource/source.ts';
import { words } from './words.ts';

const SOURCE: Source = {
  name: 'own_login_log',
  path: 'users/profile/login-logs',
  title: words.loginHistory,
  labelField: 'datetime',
  fields: loginLog.fields,
};

/** The own sign-in attempts, including failed ones. */
export function LoginHistory() {
  return (
    <ResourceList<OwnLoginLog>
      source={SOURCE}
      embedded
      hasSearch={false}
      columns={[
        { name: 'datetime', order: false },
        { name: 'type', order: false },
        { name: 'ip', mono: true, order: false },
        { name: 'city', order: false, hidden: true },
        { name: 'user_agent', order: false },
        { name: 'mfa', order: false, width: 110 },
        { name: 'reason', order: false },
        {
          name: 'status',
          order: false,
          cell: (row) => (
            <YesNo value={row.status} yes={row.status_display} no={row.status_display} />
          ),
        },
      ]}
    />
  );
}
