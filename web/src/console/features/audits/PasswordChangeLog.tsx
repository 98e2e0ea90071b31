import { passwordChangeLog, type Row } from '@sallyport/contract';
import { exactMoment } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { VerifyButton } from './VerifyButton.tsx';

const DAYS = 7;

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
        days={DAYS}
      />
    </>
  );
}
