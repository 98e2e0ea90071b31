import { Box, Title } from '@mantine/core';
import { asset, changeAuthExecution, changeAuthPlan, job, type Row } from '@sallyport/contract';
import { useMemo } from 'react';
import { confirmed } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { StateBar } from '../../resource/job/StateBar.tsx';
import { useExecute } from '../../resource/job/useShowJob.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { narrowed } from '../../resource/references.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

const PAGES = pagesOf(changeAuthPlan.name);

const JOBS = pagesOf('job');

const EXECUTIONS = 'ChangeAuthPlanExecutionList';

const LIVE = 5_000;

type Execution = Row<typeof changeAuthExecution>;

/** Starts a plan after confirmation and opens the page of its job. */
function useRunPlan(): (plan: Plan) => Promise<void> {
  const execute = useExecute();
  return ({ id, username, assets_amount: count, nodes_amount: nodes }) =>
    confirmed({
      title: t(words.askTitle),
      message: t(words.ask, { name: username, count, nodes }),
      confirm: t(words.execute),
      run: () => execute(changeAuthExecution.path, { plan: id }),
    }).catch(() => undefined);
}

export function PlanList() {
  const { narrow, phone } = useBreakpoints();
  const run = useRunPlan();
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <ResourceList<Plan>
        source={changeAuthPlan}
        columns={[
          { name: 'name' },
          { name: 'username', hidden: phone },
          { name: 'assets_amount', width: 100, hidden: narrow },
          { name: 'nodes_amount', width: 100, hidden: narrow },
          { name: 'password_strategy', hidden: narrow },
          { name: 'periodic_display', hidden: phone },
          {
            name: 'run_times',
            width: 100,
            cell: ({ id, run_times: times }) => (
              <PageLink to={PAGES.detail(id)} search={{ activeTab: EXECUTIONS }}>
                {times}
              </PageLink>
            ),
          },
          {
            name: 'comment',
            hidden: true,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
        ]}
        hasDelete
        extraActions={(row) => [
          { key: 'execute', label: t(words.execute), run: () => void run(row) },
        ]}
      />
    </>
  );
}

const duration = ({ timedelta: seconds }: Execution) =>
  t(words.seconds, { seconds: seconds.toFixed(2) });

function Executions({ plan }: { readonly plan: string }) {
  const { narrow, phone } = useBreakpoints();
  return (
    <ResourceList<Execution>
      source={changeAuthExecution}
      embedded
      base={{ plan_id: plan }}
      refetchEvery={LIVE}
      columns={[
        { name: 'date_start', essential: true },
        { name: 'username', hidden: phone },
        {
          name: 'result_summary',
          label: words.servers,
          width: 170,
          hidden: phone,
          cell: ({ result_summary: { succeed, failed, total } }) => (
            <StateBar done={succeed + failed} failed={failed} skipped={0} total={total} />
          ),
        },
        {
          name: 'outcome',
          label: job.fields.state.label,
          width: phone ? 124 : 210,
          cell: (row) => <OutcomeState outcome={row.outcome} text={row.state_display} />,
        },
        { name: 'password_strategy', hidden: narrow },
        { name: 'timedelta', width: 110, hidden: phone, cell: duration },
        {
          name: 'id',
          label: words.log,
          width: 90,
          cell: ({ id }) => <PageLink to={JOBS.detail(id)}>{t(words.log)}</PageLink>,
        },
      ]}
    />
  );
}

export function PlanDetail() {
  const run = useRunPlan();
  return (
    <DetailPage<Plan>
      source={changeAuthPlan}
      hasDelete
      tabs={(object, { change }) => [
        {
          name: 'ChangeAuthPlanInfo',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={changeAuthPlan}
                  object={object}
                  facts={[
                    'name',
                    'username',
                    'assets_amount',
                    'nodes_amount',
                    'password_strategy',
                    'key_strategy',
                    'crontab',
                    'interval',
                    'periodic_display',
                    'date_last_run',
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
                      key: 'execute',
                      title: t(words.executeNow),
                      button: t(words.execute),
                      run: () => run(object),
                    },
                  ]}
                />
              }
            />
          ),
        },
        {
          name: 'ChangeAuthPlanAsset',
          label: t(words.assetAndNode),
          render: () => (
            <>
              <DetailColumns
                left={
                  <RelationCard
                    title={t(words.assets)}
                    reference={narrowed('asset', {})}
                    value={object.assets}
                    onChange={(assets) => change({ assets })}
                  />
                }
                right={
                  <RelationCard
                    title={t(words.nodes)}
                    reference={narrowed('node', {})}
                    value={object.nodes}
                    onChange={(nodes) => change({ nodes })}
                  />
                }
              />
              <PlanAssets
                plan={object}
                onRemove={(id) => change({ assets: object.assets.filter((one) => one !== id) })}
              />
            </>
          ),
        },
        {
          name: EXECUTIONS,
          label: t(words.executions),
          render: () => <Executions plan={object.id} />,
        },
      ]}
    />
  );
}

type Plan = Row<typeof changeAuthPlan>;

/** Lists all assets of a plan: named ones and those below its nodes. */
function PlanAssets({
  plan,
  onRemove,
}: {
  readonly plan: Plan;
  readonly onRemove: (id: string) => Promise<unknown>;
}) {
  const source = useMemo(
    () => ({ ...asset, path: `${changeAuthPlan.path}/${plan.id}/assets` }),
    [plan.id],
  );
  return (
    <Box mt="md">
      <Title order={2} fz="md" mb="xs">
        {t(words.allAssets)}
      </Title>
      <ResourceList<Row<typeof asset>>
        // A new key resets the list when the assets or nodes of the plan change.
        key={[...plan.assets, ...plan.nodes].join()}
        source={source}
        embedded
        columns={[
          { name: 'hostname', essential: true },
          { name: 'ip', mono: true },
        ]}
        extraActions={({ id }) => [
          {
            key: 'remove',
            label: t(words.takeOut),
            danger: true,
            ...(!plan.assets.includes(id) && { refusal: t(words.ofNode) }),
            run: () => void onRemove(id).catch(() => undefined),
          },
        ]}
      />
    </Box>
  );
}
