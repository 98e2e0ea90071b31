import { ftpLog, type Row } from '@sallyport/contract';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { exactMoment, YesNo } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { OpenSession, ReplayFromHere } from '../sessions/index.ts';
import { VerifyButton } from './VerifyButton.tsx';

const DAYS = 7;

/** Links to the session's page at that moment, and to its replay if one exists. */
function FileSession({
  row: { session, offset_seconds: offset, can_replay: canReplay },
}: {
  readonly row: Row<typeof ftpLog>;
}) {
  if (session === null || offset === null) return null;
  if (canReplay) return <ReplayFromHere command={{ session, offset_seconds: offset }} />;
  return <OpenSession id={session} />;
}

/** File operations on assets and in database sessions. */
export function FtpLog() {
  return (
    <>
      <PageHeader>
        <VerifyButton />
      </PageHeader>
      <ResourceList<Row<typeof ftpLog>>
        source={ftpLog}
        columns={[
          { name: 'user', width: 120 },
          { name: 'asset', width: 120 },
          { name: 'system_user', width: 110 },
          { name: 'remote_addr', mono: true, width: 120 },
          { name: 'operate', width: 110 },
          {
            name: 'filename',
            essential: true,
            cell: ({ filename }) => <Clipped title={filename} min={150} />,
          },
          {
            name: 'size',
            width: 96,
            align: 'right',
            cell: ({ size }) => size?.toLocaleString(),
          },
          {
            name: 'is_success',
            width: 80,
            essential: true,
            cell: ({ is_success: isSuccess }) => <YesNo value={isSuccess} />,
          },
          {
            name: 'reason',
            width: 150,
            cell: ({ reason, reason_display: text }) =>
              reason && <Clipped title={text} min={100} />,
          },
          { name: 'session', width: 150, cell: (row) => <FileSession row={row} /> },
          {
            name: 'sha256',
            mono: true,
            width: 110,
            cell: ({ sha256 }) => sha256 && <Clipped title={sha256} min={72} />,
          },
          { name: 'date_start', essential: true, cell: exactMoment('date_start') },
        ]}
        days={DAYS}
      />
    </>
  );
}
