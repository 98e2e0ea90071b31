import { databaseApp, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import type { Fact } from '../../resource/detail/Cards.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { accessWords, WhoCanUseApp } from '../access/index.ts';
import { RulesAbout } from '../app-permissions/index.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type DatabaseApp = Row<typeof databaseApp>;

export function DatabaseAppList() {
  const { narrow, phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.databaseHint)} />
      <ResourceList<DatabaseApp>
        source={databaseApp}
        columns={[
          { name: 'name' },
          { name: 'type', width: 120, hidden: phone },
          { name: 'host', mono: true, hidden: phone },
          { name: 'port', width: 90, mono: true, hidden: narrow, cell: ({ port }) => String(port) },
          { name: 'database', hidden: narrow },
          { name: 'domain_display', hidden: true },
          { name: 'tls', hidden: true },
          {
            name: 'comment',
            hidden: narrow,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
        emptyHint={t(words.emptyDatabases)}
      />
    </>
  );
}

const GROUPS: readonly FormGroup<keyof typeof databaseApp.fields>[] = [
  { title: words.database, fields: ['name', 'type'] },
  { title: words.place, fields: ['host', 'port', 'database', 'tls', 'ca_certificate'] },
  moreOptions(['domain', 'comment']),
];

const OVERRIDES: FieldOverrides = {
  type: { disabled: (_values, updating) => updating },
  port: { help: words.portHelp },
  ca_certificate: { hidden: (values) => values.tls !== 'required' },
};

/** Creates or changes a database app. The address can preset the type of a new one. */
export function DatabaseAppForm() {
  const { type } = useSearchRecord();
  // The server fills in the default port of the type.
  return (
    <FormPage
      source={databaseApp}
      groups={GROUPS}
      overrides={OVERRIDES}
      initial={{ port: '', ...(type && { type }) }}
    />
  );
}

const FACTS: readonly Fact<DatabaseApp>[] = [
  'name',
  'type',
  'host',
  { name: 'port', label: databaseApp.fields.port.label, value: ({ port }) => String(port) },
  'database',
  'domain',
  'tls',
  'date_created',
  'date_updated',
  'created_by',
  'comment',
];

export function DatabaseAppDetail() {
  return (
    <DetailPage<DatabaseApp>
      source={databaseApp}
      hasDelete
      tabs={(object) => [
        factsTab(databaseApp, object, FACTS),
        {
          name: 'AppAccess',
          label: t(accessWords.whoUsesTitle),
          render: () => <WhoCanUseApp kind="database_app" id={object.id} />,
        },
        {
          name: 'Permissions',
          label: t(words.rules),
          render: () => <RulesAbout apps="databases" by={{ database_app_id: object.id }} />,
        },
      ]}
    />
  );
}
