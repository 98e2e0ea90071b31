import { deviceOf, loginLog, passwordChangeLog, type Row } from '@sallyport/contract';
import { language, t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { Marked } from '../../resource/list/search/Marked.tsx';
import { exactMoment, YesNo } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { VerifyButton } from './VerifyButton.tsx';
import { words } from './words.ts';

const DAYS = 7;

export function LoginLog() {
  return (
    <>
      <PageHeader>
        <VerifyButton />
      </PageHeader>
      <ResourceList<Row<typeof loginLog>>
        source={loginLog}
        columns={[
          { name: 'username', width: 120 },
          { name: 'type', width: 100 },
          { name: 'ip', mono: true, width: 130 },
          { name: 'city', width: 96 },
          {
            name: 'user_agent',
            width: 150,
            cell: ({ user_agent: agent }) =>
              agent && (
                <Clipped title={agent} min={72}>
                  {deviceOf(agent, language) || <Marked text={agent} />}
                </Clipped>
              ),
          },
          { name: 'mfa', width: 80 },
          {
            name: 'reason',
            cell: ({ reason, reason_display: text }) =>
              reason && text !== '-' && <Clipped title={text} min={150} />,
          },
          {
            name: 'status',
            width: 100,
            essential: true,
            cell: ({ status }) => (
              <YesNo value={status} yes={t(words.success)} no={t(words.failed)} />
            ),
          },
          { name: 'datetime', essential: true, cell: exactMoment('datetime') },
        ]}
        days={DAYS}
      />
    </>
  );
}

const CHANGE_DAYS = 7;

export function PasswordChangeLog() {
  return (
    <>
      <PageHeader>
        <VerifyButton />
      </PageHeader>
      <ResourceList<Row<typeof passwordChangeLog>>
        source={passwordChangeLog}
        columns={[
          { name: 'user' },
          { name: 'change_by' },
          { name: 'remote_addr', mono: true, width: 180 },
          { name: 'datetime', essential: true, cell: exactMoment('datetime') },
        ]}
        days={CHANGE_DAYS}
      />
    </>
  );
}
