import { t } from '../../../kit/i18n/index.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { Accounts } from './Accounts.tsx';
import { ACCOUNTS_TAB } from './center-address.ts';
import { Tasks } from './Tasks.tsx';
import { words } from './words.ts';

export function CloudCenter() {
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <TabbedPage
        tabs={[
          { name: 'SyncInstanceTaskList', label: t(words.tasks), render: () => <Tasks /> },
          { name: ACCOUNTS_TAB.activeTab, label: t(words.accounts), render: () => <Accounts /> },
        ]}
      />
    </>
  );
}
