import { DEFAULT_ORGANIZATION_ID, organization, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { changeOrganization } from '../../base/organizations.ts';
import { useSession } from '../../base/session.tsx';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { difference } from '../../resource/detail/change-pairs.ts';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { ReferenceField } from '../../resource/form/ReferenceField.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { narrowed } from '../../resource/references.ts';
import { words } from './words.ts';

/**
 * All users, listed through the default organization. A new member may not be in the current
 * organization yet.
 */
const EVERYBODY = narrowed('user', { oid: DEFAULT_ORGANIZATION_ID });

/** A choice among all users. */
function MembersField(props: WidgetProps) {
  return <ReferenceField {...props} reference={EVERYBODY} />;
}

type Organization = Row<typeof organization>;

const ROLES = ['admins', 'auditors', 'users'] as const;

export function OrganizationList() {
  return (
    <>
      <PageHeader />
      <ResourceList<Organization>
        source={organization}
        columns={[
          { name: 'name' },
          { name: 'admins_amount', width: 140 },
          { name: 'auditors_amount', width: 120 },
          { name: 'users_amount', width: 120 },
          { name: 'comment' },
          { name: 'created_by', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
        hasBulkDelete={false}
        hasImport={false}
        hasExport={false}
        emptyHint={t(words.empty)}
      />
    </>
  );
}

export function OrganizationForm() {
  return (
    <FormPage
      source={organization}
      groups={[
        { title: words.organization, fields: ['name', 'comment'] },
        { title: words.members, fields: [...ROLES] },
      ]}
      overrides={{
        admins: { widget: MembersField, help: words.adminsHelp },
        auditors: { widget: MembersField, help: words.auditorsHelp },
        users: { widget: MembersField, help: words.usersHelp },
      }}
    />
  );
}

/**
 * Sends only the differences, one role at a time, so that concurrent changes to other members are
 * kept.
 */
async function changeMembers(
  id: string,
  role: (typeof ROLES)[number],
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const url = `orgs/orgs/${id}/membership/${role}/`;
  const { added, removed } = difference(before, after);
  if (added.length > 0)
    await api.post(
      url,
      added.map((user) => ({ user })),
    );
  for (const user of removed) await api.delete(`${url}${user}/`);
}

function MemberCards({
  object,
  refresh,
}: {
  readonly object: Organization;
  readonly refresh: () => Promise<void>;
}) {
  return ROLES.map((role) => (
    <RelationCard
      key={role}
      title={t(words[role])}
      reference={EVERYBODY}
      value={object[role]}
      onChange={(after) =>
        changeMembers(object.id, role, object[role], after).finally(() => void refresh())
      }
    />
  ));
}

/** One organization and its members. */
export function OrganizationDetail() {
  const { organization: current } = useSession();
  return (
    <DetailPage<Organization>
      source={organization}
      hasDelete
      tabs={(object, { refresh }) => [
        {
          name: 'OrganizationInfo',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <>
                  <DetailCard
                    source={organization}
                    object={object}
                    facts={['name', 'created_by', 'date_created', 'comment']}
                  />
                  <QuickActionsCard
                    actions={[
                      {
                        key: 'work',
                        title: t(words.work),
                        button: t(object.id === current?.id ? words.current : words.switch),
                        disabled: object.id === current?.id,
                        run: async () => changeOrganization({ id: object.id, name: object.name }),
                      },
                    ]}
                  />
                </>
              }
              right={<MemberCards object={object} refresh={refresh} />}
            />
          ),
        },
      ]}
    />
  );
}
