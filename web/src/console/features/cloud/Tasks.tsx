import { cloudSyncTask, type Row } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink, useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { objectUrl } from '../../resource/source.ts';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { Clipped } from '../Clipped.tsx';
import { NextRuns, PERIOD_GROUP, PERIOD_INITIAL, PERIOD_OVERRIDES } from '../periods/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { ACCOUNTS_TAB, Accounts, CENTER } from './Accounts.tsx';
import { ChosenAccount, RegionsField } from './RegionsField.tsx';
import { History, Instances } from './TaskResults.tsx';
import { words } from './words.ts';

const PAGES = pagesOf(cloudSyncTask.name);

const JOBS = pagesOf('job');

const HISTORY = 'HistoryList';

const INSTANCES = 'AssetList';

type Task = Row<typeof cloudSyncTask>;

/** Starts a task and opens the page of its job. */
function useRunTask(): (id: string) => Promise<void> {
  const go = useGo();
  return async (id) => {
    const { task } = await api.get<{ task: string }>(`${objectUrl(cloudSyncTask, id)}run/`);
    await go(JOBS.detail(task));
  };
}

/** The list of sync tasks, in a tab of the center or on a separate page. */
export function Tasks() {
  const { narrow, phone } = useBreakpoints();
  const run = useRunTask();
  const leadTo = (activeTab: string, name: 'history_count' | 'instance_count') => ({
    name,
    width: 110,
    cell: ({ id, [name]: count }: Task) => (
      <PageLink to={PAGES.detail(id)} search={{ activeTab }}>
        {count}
      </PageLink>
    ),
  });
  return (
    <ResourceList<Task>
      source={cloudSyncTask}
      columns={[
        { name: 'name' },
        { name: 'account', hidden: phone },
        { ...leadTo(HISTORY, 'history_count'), hidden: phone },
        leadTo(INSTANCES, 'instance_count'),
        { name: 'periodic_display', hidden: narrow },
        { name: 'date_last_sync', hidden: phone },
        {
          name: 'comment',
          hidden: narrow,
          cell: ({ comment }) => comment && <Clipped title={comment} />,
        },
      ]}
      hasDelete
      hasBulkDelete={false}
      hasImport={false}
      hasExport={false}
      extraActions={({ id }) => [
        { key: 'execute', label: t(words.execute), run: () => void run(id).catch(() => undefined) },
      ]}
    />
  );
}

export function TaskList() {
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <Tasks />
    </>
  );
}

const OVERRIDES: FieldOverrides = {
  ...PERIOD_OVERRIDES,
  regions: { label: words.regions, widget: RegionsField },
};

/** Reports the account that the form has selected. */
function Follow({
  account,
  onAccount,
}: {
  readonly account: string;
  readonly onAccount: (account: string) => void;
}) {
  useEffect(() => onAccount(account), [account, onAccount]);
  return null;
}

export function TaskForm() {
  const [account, setAccount] = useState('');
  return (
    <ChosenAccount value={account}>
      <FormPage
        source={cloudSyncTask}
        groups={[
          { title: words.basic, fields: ['name'] },
          { title: words.source, fields: ['account', 'regions'] },
          {
            title: words.saved,
            fields: ['hostname_strategy', 'node', 'admin_user', 'is_always_update'],
          },
          PERIOD_GROUP,
          moreOptions(['comment']),
        ]}
        overrides={OVERRIDES}
        initial={PERIOD_INITIAL}
        notice={(values) => (
          <>
            <Follow account={String(values.account ?? '')} onAccount={setAccount} />
            <NextRuns values={values} />
          </>
        )}
        leadsTo={() => ({ path: CENTER })}
      />
    </ChosenAccount>
  );
}

export function TaskDetail() {
  const run = useRunTask();
  return (
    <DetailPage<Task>
      source={cloudSyncTask}
      hasDelete
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={cloudSyncTask}
                  object={object}
                  facts={[
                    'name',
                    'account',
                    {
                      name: 'regions',
                      label: words.regions,
                      value: ({ regions }) =>
                        regions.map((region) => <div key={region}>{region}</div>),
                    },
                    'hostname_strategy',
                    'node',
                    'admin_user',
                    'is_always_update',
                    'is_periodic',
                    'periodic_display',
                    'date_last_sync',
                    'date_created',
                    'date_updated',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={
                <QuickActionsCard
                  actions={[
                    {
                      key: 'run',
                      title: t(words.executeNow),
                      button: t(words.execute),
                      run: () => run(object.id),
                    },
                  ]}
                />
              }
            />
          ),
        },
        { name: HISTORY, label: t(words.history), render: () => <History task={object.id} /> },
        {
          name: INSTANCES,
          label: t(words.instances),
          render: () => <Instances task={object.id} />,
        },
      ]}
    />
  );
}

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
