import { Select, Text } from '@mantine/core';
import {
  choice,
  DEFAULT_UNUSED_DAYS,
  datetime,
  type Fields,
  text,
  UNUSED_DAYS,
  UNUSED_KINDS,
  type UnusedAccess,
} from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { useGo, usePath, useSearchRecord } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import type { Column } from '../../../resource/list/table/columns.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import type { RowAction } from '../../../resource/list/table/RowActions.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import type { Source } from '../../../resource/source.ts';
import { SaveButtons } from '../../../resource/transfer/SaveButtons.tsx';
import { EndOnDateDialog } from './EndOnDateDialog.tsx';
import { deletePermission, deletePermissions, readRule, removeMember } from './unused-actions.ts';
import { KIND_TEXTS, REMOVE_TEXTS, words } from './words.ts';

const PATH = 'perms/access/unused';
const RULE = pagesOf('asset_permission');

/** The fields for sorting and filtering. */
const FIELDS: Fields = {
  permission: text({ label: words.permission, order: true }),
  kind: choice({
    label: words.unused,
    choices: UNUSED_KINDS.map((kind) => ({ value: kind, label: KIND_TEXTS[kind] })),
    filter: true,
  }),
  since: datetime({ label: words.since, order: true }),
  last_used: datetime({ label: words.lastUsed, order: true }),
  valid_until: datetime({ label: words.until, order: true }),
};

const SOURCE: Source = {
  name: 'unused_access',
  path: PATH,
  title: words.title,
  labelField: 'permission_display',
  fields: FIELDS,
};

/** Names the unused object: the whole permission, or one of its users, groups, assets or nodes. */
function Unused({ row: { kind, member, member_display } }: { readonly row: UnusedAccess }) {
  if (member === null) return t(words.whole);
  return (
    <>
      {`${t(KIND_TEXTS[kind])} `}
      <ObjectLink resource={kind} id={member}>
        {member_display}
      </ObjectLink>
    </>
  );
}

const COLUMNS: readonly Column<UnusedAccess>[] = [
  { name: 'permission' },
  { name: 'kind', essential: true, cell: (row) => <Unused row={row} /> },
  { name: 'since', cell: ({ since }) => <Moment date={since} /> },
  {
    name: 'last_used',
    cell: ({ last_used }) => (last_used ? <Moment date={last_used} /> : t(words.never)),
  },
  { name: 'valid_until', cell: ({ valid_until }) => <Moment date={valid_until} /> },
];

/** The period without use, and a download of the list. */
function Toolbar({ days }: { readonly days: string }) {
  const { days: _days, ...search } = useSearchRecord();
  const path = usePath();
  const go = useGo();
  return (
    <>
      <Select
        aria-label={t(words.period)}
        w={160}
        allowDeselect={false}
        value={days}
        data={UNUSED_DAYS.map((count) => ({
          value: String(count),
          label: t(words.lastDays, { count }),
        }))}
        onChange={(value) =>
          void go(path, {
            search: { ...search, days: value ?? undefined, page: undefined },
            replace: true,
          })
        }
      />
      <SaveButtons path={`${PATH}/`} query={{ ...search, days }} />
    </>
  );
}

/** Lists access that was not used for a number of days, with a proposal for each entry. */
export function UnusedAccessPage() {
  const { days = String(DEFAULT_UNUSED_DAYS) } = useSearchRecord();
  const [ending, setEnding] = useState<{
    readonly row: UnusedAccess;
    readonly done: () => Promise<unknown>;
  }>();

  const proposals = (row: UnusedAccess, refresh: () => Promise<void>): RowAction[] => [
    row.kind === 'permission'
      ? {
          key: 'delete',
          label: t(words.deleteRule),
          danger: true,
          run: () => deletePermission(row, refresh),
        }
      : {
          key: 'remove',
          label: t(REMOVE_TEXTS[row.kind]),
          danger: true,
          // The request layer shows the error.
          run: () =>
            void readRule(row)
              .then((rule) => removeMember(row, rule, refresh))
              .catch(() => undefined),
        },
    { key: 'end', label: t(words.endOn), run: () => setEnding({ row, done: refresh }) },
  ];

  return (
    <>
      <PageHeader />
      <Text c="dimmed" fz="sm" mb="sm">
        {t(words.hint)}
      </Text>
      <ResourceList<UnusedAccess>
        source={SOURCE}
        chosen={{ days }}
        pageNames={['days']}
        link={({ permission }) => RULE.detail(permission)}
        toolbar={<Toolbar days={days} />}
        columns={COLUMNS}
        extraActions={proposals}
        bulkActions={(rows, done) => [
          {
            key: 'delete',
            label: t(words.deleteSelected),
            danger: true,
            refusal: rows.every(({ kind }) => kind === 'permission')
              ? undefined
              : t(words.onlyWhole),
            run: () => deletePermissions(rows, async () => done()),
          },
        ]}
        hasBulkDelete={false}
        emptyHint={t(words.nothing)}
      />
      {ending && (
        <EndOnDateDialog
          row={ending.row}
          onDone={ending.done}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  );
}
