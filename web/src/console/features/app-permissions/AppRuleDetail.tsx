import type { LocalText } from '@sallyport/contract';
import { Fragment } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, type Fact, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { words as detailWords } from '../../resource/detail/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { RelationCard } from '../../resource/ResourcePages.tsx';
import { narrowed } from '../../resource/references.ts';
import { PermissionState, validityActions } from '../perms/index.ts';
import { type AppKind, type AppRule, DATABASES, REMOTE } from './kinds.ts';
import { words } from './words.ts';

type Shared = 'users' | 'user_groups' | 'system_users';
type Linked = Shared | AppKind['field'];

const idsOf = (kind: AppKind, rule: AppRule, field: Linked): readonly string[] =>
  field === kind.field ? kind.idsOf(rule) : rule[field as Shared];

/** Saves only the difference, so it keeps changes by other administrators. */
function changeLinks(
  kind: AppKind,
  rule: AppRule,
  field: Linked,
  after: readonly string[],
): Promise<void> {
  return changePairs({
    owner: kind.owner,
    field,
    of: { [kind.owner]: rule.id },
    before: idsOf(kind, rule, field),
    after,
  });
}

interface NamedRow {
  readonly id: string;
  readonly user?: string;
  readonly remoteapp?: string;
  readonly databaseapp?: string;
  readonly user_display?: string;
  readonly remoteapp_display?: string;
  readonly databaseapp_display?: string;
  /** True if the permission names the object directly. */
  readonly direct: boolean;
  /** The groups through which the permission includes the user. */
  readonly through: readonly { readonly id: string; readonly name: string }[];
}

interface PartProps {
  readonly kind: AppKind;
  readonly rule: AppRule;
  readonly detail: ResourceDetailModel<AppRule>;
}

/** Shows how a permission includes a user: directly, or through groups. */
function Through({ row }: { readonly row: NamedRow }) {
  return (
    <>
      {row.direct && t(words.direct)}
      {row.through.map(({ id, name }, index) => (
        <Fragment key={id}>
          {(row.direct || index > 0) && ', '}
          <ObjectLink resource="user_group" id={id}>
            {name}
          </ObjectLink>
        </Fragment>
      ))}
    </>
  );
}

const THROUGH: Column<NamedRow> = {
  name: 'through',
  label: words.through,
  essential: true,
  cell: (row) => <Through row={row} />,
};

/** Lists the users or applications of a permission. Directly named ones can be removed here. */
function NamedList({
  kind,
  rule,
  detail,
  what,
  title,
}: PartProps & { readonly what: 'users' | 'apps'; readonly title: LocalText }) {
  const isUsers = what === 'users';
  const { field, key, target } = isUsers
    ? ({ field: 'users', key: 'user', target: 'user' } as const)
    : kind;
  return (
    <ResourceList<NamedRow>
      source={{
        name: `rule_${field}`,
        path: `${kind.resource.path}/${rule.id}/${field.replace('_', '-')}/all`,
        title,
        labelField: `${key}_display`,
        fields: {},
      }}
      embedded
      searchBy={[]}
      idOf={(row) => row[key] ?? ''}
      columns={[
        { name: `${key}_display`, label: title, cell: (row) => row[`${key}_display`] ?? '' },
        ...(isUsers ? [THROUGH] : []),
      ]}
      link={(row) => pagesOf(target).detail(row.id)}
      extraActions={(row) => [
        {
          key: 'remove',
          label: t(common.remove),
          danger: true,
          refusal: row.direct
            ? undefined
            : t(words.comesThroughGroup, { names: row.through.map(({ name }) => name).join(', ') }),
          run: () =>
            void changeLinks(
              kind,
              rule,
              field,
              idsOf(kind, rule, field).filter((id) => id !== row.id),
            )
              .then(() => toast.success(t(common.removeSuccess)))
              .catch(() => undefined)
              .finally(() => void detail.refresh()),
        },
      ]}
    />
  );
}

interface RelationProps extends PartProps {
  readonly field: Linked;
  readonly target: string;
  readonly title: LocalText;
  readonly min?: number;
  readonly listed?: boolean;
  readonly only?: Readonly<Record<string, string>>;
}

const Relation = ({
  kind,
  rule,
  detail,
  field,
  target,
  title,
  min = 0,
  listed = true,
  only = {},
}: RelationProps) => (
  <RelationCard
    title={t(title)}
    reference={narrowed(target, only)}
    value={idsOf(kind, rule, field)}
    min={min}
    listed={listed}
    onChange={(ids) => changeLinks(kind, rule, field, ids).finally(() => void detail.refresh())}
  />
);

const factsOf = (kind: AppKind): readonly Fact<AppRule>[] => [
  'name',
  {
    name: 'is_valid',
    label: kind.resource.fields.is_valid.label,
    value: (rule) => <PermissionState of={rule} targets={kind.amountOf(rule)} />,
  },
  'users_amount',
  'user_groups_amount',
  { name: `${kind.field}_amount`, label: kind.apps, value: kind.amountOf },
  'system_users_amount',
  'date_start',
  'date_expired',
  'date_created',
  'created_by',
  'comment',
];

function AppRuleDetail({ kind }: { readonly kind: AppKind }) {
  return (
    <DetailPage<AppRule>
      source={kind.resource}
      hasDelete
      tabs={(rule, detail) => {
        const part = { kind, rule, detail };
        return [
          {
            name: `${kind.tab}PermissionDetail`,
            label: t(detailWords.overview),
            render: () => (
              <DetailColumns
                left={<DetailCard source={kind.resource} object={rule} facts={factsOf(kind)} />}
                right={
                  <QuickActionsCard
                    actions={[
                      {
                        key: 'active',
                        title: t(words.active),
                        checked: rule.is_active,
                        toggle: (on) => detail.activate(rule.name, on),
                      },
                      ...validityActions(rule, detail),
                    ]}
                  />
                }
              />
            ),
          },
          {
            name: `${kind.tab}PermissionUser`,
            label: t(words.usersTab),
            render: () => (
              <DetailColumns
                left={<NamedList {...part} what="users" title={words.members} />}
                right={
                  <>
                    <Relation
                      {...part}
                      field="users"
                      target="user"
                      title={words.addUser}
                      listed={false}
                    />
                    <Relation
                      {...part}
                      field="user_groups"
                      target="user_group"
                      title={words.addGroup}
                    />
                  </>
                }
              />
            ),
          },
          {
            name: `${kind.tab}Permission${kind.tab}`,
            label: t(kind.apps),
            render: () => (
              <DetailColumns
                left={<NamedList {...part} what="apps" title={kind.apps} />}
                right={
                  <>
                    <Relation
                      {...part}
                      field={kind.field}
                      target={kind.target}
                      title={kind.add}
                      listed={false}
                    />
                    <Relation
                      {...part}
                      field="system_users"
                      target="system_user"
                      title={words.systemUsers}
                      min={1}
                      only={{ protocol__in: kind.protocols }}
                    />
                  </>
                }
              />
            ),
          },
        ];
      }}
    />
  );
}

export const RemoteAppPermissionDetail = () => <AppRuleDetail kind={REMOTE} />;
export const DatabaseAppPermissionDetail = () => <AppRuleDetail kind={DATABASES} />;
