import { type Row, remoteApp, remoteAppParams } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import type { Fact } from '../../resource/detail/Cards.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { accessWords, WhoCanUseApp } from '../access/index.ts';
import { RulesAbout } from '../app-permissions/index.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type RemoteApp = Row<typeof remoteApp>;

const HostLink = ({ app: { asset_info } }: { readonly app: RemoteApp }) => (
  <ObjectLink resource="asset" id={asset_info.id}>
    {asset_info.hostname}
  </ObjectLink>
);

export function RemoteAppList() {
  const { narrow, phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.remoteHint)} />
      <ResourceList<RemoteApp>
        source={remoteApp}
        columns={[
          { name: 'name' },
          { name: 'type', width: 160, hidden: phone },
          { name: 'asset_info', hidden: phone, cell: (row) => <HostLink app={row} /> },
          { name: 'path', hidden: true },
          {
            name: 'comment',
            hidden: narrow,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
        emptyHint={t(words.emptyRemote)}
      />
    </>
  );
}

const GROUPS: readonly FormGroup<keyof typeof remoteApp.fields>[] = [
  { title: words.program, fields: ['name', 'asset', 'type', 'path', 'params'] },
  moreOptions(['comment']),
];

const OVERRIDES: FieldOverrides = {
  asset: { help: words.assetHelp },
  type: { disabled: (_values, updating) => updating },
  path: { help: words.pathHelp },
  params: { members: ({ type }) => remoteAppParams(type) },
};

/** Creates or changes a remote app. The address can preset the type of a new one. */
export function RemoteAppForm() {
  const { type } = useSearchRecord();
  return (
    <FormPage
      source={remoteApp}
      groups={GROUPS}
      overrides={OVERRIDES}
      {...(type && { initial: { type } })}
      toBody={(body) => ({ ...body, params: body.params ?? {} })}
    />
  );
}

export function RemoteAppDetail() {
  const facts: readonly Fact<RemoteApp>[] = [
    'name',
    { name: 'asset', label: remoteApp.fields.asset.label, value: (app) => <HostLink app={app} /> },
    'type',
    'path',
    'params',
    'date_created',
    'created_by',
    'comment',
  ];
  return (
    <DetailPage<RemoteApp>
      source={remoteApp}
      hasDelete
      tabs={(object) => [
        factsTab(remoteApp, object, facts),
        {
          name: 'AppAccess',
          label: t(accessWords.whoUsesTitle),
          render: () => <WhoCanUseApp kind="remote_app" id={object.id} />,
        },
        {
          name: 'Permissions',
          label: t(words.rules),
          render: () => <RulesAbout apps="remote" by={{ remote_app_id: object.id }} />,
        },
      ]}
    />
  );
}
