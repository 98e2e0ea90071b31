import { Alert, Badge, Button, Group, Modal, Stack, Table, Text, Title } from '@mantine/core';
import { type GroupMappingPreview, groupMapping, type Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import type { FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { objectUrl } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type Mapping = Row<typeof groupMapping>;
type Change = GroupMappingPreview['changes'][number];

const USER_GROUPS = referenceTo('user_group');

const KINDS = {
  join: { text: words.mappingJoin, color: 'teal' },
  leave: { text: words.mappingLeave, color: 'red' },
  role: { text: words.mappingRole, color: 'orange' },
} as const;

const whatOf = ({ kind, what, before }: Change) => (kind === 'role' ? `${before} → ${what}` : what);

/** The users who would gain or lose something, and the groups that sources reported. */
function Preview({ changes, seen, users, is_complete }: GroupMappingPreview) {
  return (
    <Stack gap="md">
      <Text>{t(words.mappingKnown, { count: users })}</Text>
      {changes.length === 0 ? (
        <Alert color="teal">{t(words.mappingNoChange)}</Alert>
      ) : (
        <Table.ScrollContainer minWidth={320} maxHeight={360}>
          <Table stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t(words.mappingUser)}</Table.Th>
                <Table.Th>{t(words.mappingChange)}</Table.Th>
                <Table.Th>{t(words.mappingWhat)}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map((change) => (
                <Table.Tr key={`${change.user_id} ${change.kind} ${change.what}`}>
                  <Table.Td>{change.user}</Table.Td>
                  <Table.Td>
                    <Badge variant="light" miw="max-content" color={KINDS[change.kind].color}>
                      {t(KINDS[change.kind].text)}
                    </Badge>
                  </Table.Td>
                  <Table.Td>
                    {whatOf(change)}
                    {change.is_controlled && (
                      <Text fz="sm" c="dimmed">
                        {t(words.mappingControlled)}
                      </Text>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {!is_complete && <Alert color="yellow">{t(words.mappingCut)}</Alert>}
      <Title order={3} fz="md">
        {t(words.mappingSeen)}
      </Title>
      {seen.length === 0 ? (
        <Text c="dimmed">{t(words.mappingNoneSeen)}</Text>
      ) : (
        <Table.ScrollContainer minWidth={320} maxHeight={240}>
          <Table>
            <Table.Tbody>
              {seen.map(({ source, name, users: count }) => (
                <Table.Tr key={`${source} ${name}`}>
                  <Table.Td>{source}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                  <Table.Td ta="right">{count}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

/** Opens the preview: what all mappings would change if they were active. */
function PreviewButton() {
  const [isOpen, setIsOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ['group-mappings', 'preview'],
    queryFn: ({ signal }) =>
      api.get<GroupMappingPreview>('users/group-mappings/preview/', { signal }),
    enabled: isOpen,
    staleTime: 0,
  });
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {t(words.mappingPreview)}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={t(words.mappingPreviewTitle)}
        size="xl"
      >
        {data && <Preview {...data} />}
      </Modal>
    </>
  );
}

/** The number of users of a group, or a mark if the source has not reported the group. */
function UsersOfGroup({ users }: { users: number }) {
  if (users > 0) return <>{users}</>;
  return (
    <Badge variant="light" color="yellow" miw="max-content">
      {t(words.mappingUnseen)}
    </Badge>
  );
}

export function GroupMappingList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.mappingHint)} />
      <Group justify="space-between" gap="sm" mb="md">
        <Text fz="sm" style={{ flex: 1 }}>
          {t(words.mappingFirst)}
        </Text>
        <PreviewButton />
      </Group>
      <ResourceList<Mapping>
        source={groupMapping}
        columns={[
          { name: 'name', width: 220, cell: ({ name }) => <Clipped title={name} /> },
          { name: 'source', width: 110, hidden: phone },
          {
            name: 'provider_group',
            cell: ({ provider_group: group }) => <Clipped title={group} />,
          },
          {
            name: 'users_amount',
            width: 110,
            cell: ({ users_amount: users }) => <UsersOfGroup users={users} />,
          },
          { name: 'role', width: 150, hidden: phone },
          { name: 'is_active', width: 90, hidden: phone },
          { name: 'comment', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

const GROUPS: readonly FormGroup<keyof typeof groupMapping.fields>[] = [
  { title: words.mappingFrom, fields: ['name', 'source', 'provider_group'] },
  { title: words.mappingTo, fields: ['user_groups', 'role', 'is_active'] },
  { title: words.mappingMore, fields: ['comment'] },
];

export function GroupMappingForm() {
  return <FormPage source={groupMapping} groups={GROUPS} />;
}

export function GroupMappingDetail() {
  return (
    <DetailPage<Mapping>
      source={groupMapping}
      hasDelete
      tabs={(object, detail) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={groupMapping}
                  object={object}
                  facts={[
                    'source',
                    'provider_group',
                    'users_amount',
                    'role',
                    'is_active',
                    'comment',
                    'created_by',
                    'date_created',
                  ]}
                />
              }
              right={
                USER_GROUPS && (
                  <RelationCard
                    title={t(words.mappingGroups)}
                    reference={USER_GROUPS}
                    value={object.user_groups}
                    onChange={(groups) =>
                      api
                        .patch(objectUrl(groupMapping, object.id), { user_groups: [...groups] })
                        .finally(() => void detail.refresh())
                    }
                  />
                )
              }
            />
          ),
        },
      ]}
    />
  );
}
