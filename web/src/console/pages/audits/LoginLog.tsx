import { loginLog, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { YesNo } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { words } from './words.ts';

const DAYS = 7;

/** Every attempt to sign in. */
export function LoginLog() {
  return (
    <>
      <PageHeader />
      <ResourceList<Row<typeof loginLog>>
        source={loginLog}
        columns={[
          { name: 'username' },
          { name: 'type', width: 110 },
          { name: 'ip', mono: true, width: 150 },
          { name: 'city' },
          { name: 'user_agent' },
          { name: 'mfa', width: 80 },
          { name: 'reason' },
          { name: 'status', width: 100, cell: ({ status }) => <YesNo value={status} yes={t(words.success)} no={t(words.failed)} /> },
          { name: 'datetime' },
        ]}
        days={DAYS}
      />
    </>
  );
}
