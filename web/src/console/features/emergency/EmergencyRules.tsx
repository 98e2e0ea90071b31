import { emergencyAccess, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { ActionsField, actionsText, GrantedNodesField } from '../access/index.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type Rule = Row<typeof emergencyAccess>;

const GROUPS: readonly FormGroup<keyof typeof emergencyAccess.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.who, fields: ['users', 'user_groups'] },
  { title: words.what, fields: ['assets', 'nodes', 'system_users', 'actions'] },
  { title: words.limits, fields: ['max_minutes', 'reviewers'] },
  moreOptions(['is_active', 'comment']),
];
const OVERRIDES: FieldOverrides = {
  actions: { widget: ActionsField },
  nodes: { widget: GrantedNodesField },
};
const LINKS = [
  ['users', 'user', 0],
  ['user_groups', 'user_group', 0],
  ['assets', 'asset', 0],
  ['nodes', 'node', 0],
  ['system_users', 'system_user', 1],
  ['reviewers', 'user', 1],
] as const;

/** Lists the rules: which users may open emergency access to which assets. */
export function EmergencyRuleList() {
  const { phone, narrow } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <ResourceList<Rule>
        source={emergencyAccess}
        columns={[
          { name: 'name', essential: true },
          { name: 'users_amount', width: 90, hidden: phone },
          { name: 'user_groups_amount', width: 110, hidden: narrow },
          { name: 'assets_amount', width: 90, hidden: phone },
          { name: 'nodes_amount', width: 90, hidden: narrow },
          { name: 'reviewers_amount', width: 110, hidden: narrow },
          { name: 'max_minutes', width: 150, hidden: phone },
          { name: 'is_active', width: 90, hidden: phone },
          {
            name: 'comment',
            hidden: true,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
        ]}
        hasDelete
        emptyHint={t(words.empty)}
      />
    </>
  );
}

export function EmergencyRuleForm() {
  return <FormPage source={emergencyAccess} groups={GROUPS} overrides={OVERRIDES} />;
}

export function EmergencyRuleDetail() {
  return (
    <DetailPage<Rule>
      source={emergencyAccess}
      hasDelete
      tabs={(rule, { change, activate }) => [
        {
          name: 'EmergencyAccessDetail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={emergencyAccess}
                  object={rule}
                  facts={[
                    'name',
                    'max_minutes',
                    {
                      name: 'actions',
                      label: words.actionsLabel,
                      value: ({ actions }) => actionsText(actions),
                    },
                    'date_created',
                    'date_updated',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={
                <>
                  <QuickActionsCard
                    actions={[
                      {
                        key: 'active',
                        title: t(emergencyAccess.fields.is_active.label),
                        checked: rule.is_active,
                        toggle: (on) => activate(rule.name, on),
                      },
                    ]}
                  />
                  {LINKS.map(([field, target, min]) => {
                    const reference = referenceTo(target);
                    return (
                      reference && (
                        <RelationCard
                          key={field}
                          title={t(emergencyAccess.fields[field].label)}
                          reference={reference}
                          value={rule[field]}
                          min={min}
                          onChange={(ids) => change({ [field]: ids })}
                        />
                      )
                    );
                  })}
                </>
              }
            />
          ),
        },
      ]}
    />
  );
}
