import { UnstyledButton } from '@mantine/core';
import { domain, gateway, type Row } from '@sallyport/contract';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink, useSearchRecord } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { LinkedAssets } from './AdminUsers.tsx';
import { showSite } from './site-install.tsx';
import { words } from './words.ts';

const ObjectDialog = lazyComponent(() =>
  import('../../resource/dialog/ObjectDialog.tsx').then((module) => module.ObjectDialog),
);

const PAGES = pagesOf(domain.name);
type Domain = Row<typeof domain>;

export function DomainList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.domainHint)} />
      <ResourceList<Domain>
        source={domain}
        columns={[
          { name: 'name' },
          {
            name: 'asset_count',
            width: 120,
            hidden: phone,
            cell: ({ id, asset_count: amount }) => (
              <PageLink to="/assets/assets" search={{ domain: id }}>
                {amount}
              </PageLink>
            ),
          },
          {
            name: 'gateway_count',
            width: 120,
            hidden: phone,
            cell: (row) => (
              <PageLink to={PAGES.detail(row.id)} search={{ activeTab: 'GatewayList' }}>
                {row.gateway_count}
              </PageLink>
            ),
          },
          { name: 'through', hidden: true },
          {
            name: 'comment',
            hidden: phone,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

export function DomainForm() {
  return (
    <FormPage
      source={domain}
      groups={[{ title: words.basic, fields: ['name', 'through', 'assets', 'comment'] }]}
    />
  );
}

export function DomainDetail() {
  const [openGateway, setOpenGateway] = useState<string>();
  return (
    <>
      <DetailPage<Domain>
        source={domain}
        hasDelete
        tabs={(object) => [
          factsTab(domain, object, [
            'name',
            'asset_count',
            'gateway_count',
            'through',
            'date_created',
            'comment',
          ]),
          {
            name: 'GatewayList',
            label: t(words.gateways),
            render: () => <GatewayList domain={object.id} onOpen={setOpenGateway} />,
          },
          {
            name: 'AssetList',
            label: t(words.assetList),
            render: () => <LinkedAssets by={{ domain: object.id }} />,
          },
        ]}
      />
      {openGateway && (
        <ObjectDialog
          mode="view"
          source={gateway}
          id={openGateway}
          groups={GATEWAY_GROUPS}
          overrides={GATEWAY_OVERRIDES}
          canEdit
          onClose={() => setOpenGateway(undefined)}
        />
      )}
    </>
  );
}

interface GatewayListProps {
  /** The id of the domain. */
  readonly domain: string;
  readonly onOpen: (id: string) => void;
}

/** Says whether a site is connected, how fast it answers, or when it was last seen. */
function siteState({ tunnels, tunnel_round_trip: time, date_seen: seen }: Row<typeof gateway>) {
  if (!tunnels) return seen ? t(words.siteAway, { seen }) : t(words.siteNotJoined);
  return time === null ? String(tunnels) : t(words.siteState, { count: tunnels, time });
}

/** Lists the gateways of a domain. A name opens the gateway. */
function GatewayList({ domain: parent, onOpen }: GatewayListProps) {
  const { phone } = useBreakpoints();
  const { FEATURES_OFF: off = [] } = useSession().settings;
  return (
    <ResourceList<Row<typeof gateway>>
      source={gateway}
      embedded
      base={{ domain: parent }}
      columns={[
        {
          name: 'name',
          cell: ({ id, name }) => (
            <UnstyledButton c="var(--mantine-color-anchor)" fz="inherit" onClick={() => onOpen(id)}>
              {name}
            </UnstyledButton>
          ),
        },
        { name: 'ip', mono: true, hidden: phone },
        {
          name: 'port',
          width: 90,
          hidden: phone,
          mono: true,
          cell: ({ protocol, port }) => (protocol === 'site' ? '' : String(port)),
        },
        { name: 'protocol', width: 100, hidden: phone },
        {
          name: 'tunnels',
          width: phone ? 130 : 220,
          cell: (row) => (row.protocol === 'site' ? siteState(row) : ''),
        },
        { name: 'username', hidden: phone },
        { name: 'is_active', width: 90, hidden: phone },
        {
          name: 'comment',
          hidden: phone,
          cell: ({ comment }) => comment && <Clipped title={comment} />,
        },
      ]}
      editable
      createSearch={{ domain: parent }}
      extraActions={(row) => [
        ...(row.protocol === 'site' && !row.date_joined && !off.includes('sites')
          ? [{ key: 'join', label: t(words.connectSite), run: () => void showSite(row) }]
          : []),
        {
          key: 'test',
          label: t(words.testGateway),
          run: () =>
            void api.post(`assets/gateways/${row.id}/test-connective/`, { port: row.port }).then(
              () => toast.success(t(words.gatewayWorks, { name: row.name })),
              // The request layer shows the error.
              () => undefined,
            ),
        },
      ]}
      hasDelete
    />
  );
}

const GATEWAY_GROUPS: readonly FormGroup<keyof typeof gateway.fields>[] = [
  { title: words.address, fields: ['name', 'domain', 'protocol', 'ip', 'port'] },
  { title: words.auth, fields: ['username', 'password', 'private_key'] },
  moreOptions(['is_active', 'comment']),
];

const ofSites = { hidden: ({ protocol }: FormValues) => protocol === 'site' };

const GATEWAY_OVERRIDES: FieldOverrides = {
  protocol: { help: words.gatewayProtocol },
  ip: { ...ofSites, required: true },
  port: ofSites,
  username: ofSites,
  password: ofSites,
  private_key: ofSites,
  // The domain page presets the domain. The user chooses one if the form opens elsewhere.
  domain: { disabled: (_values, updating) => updating },
};

export function GatewayForm() {
  const { domain: chosen } = useSearchRecord();
  return (
    <FormPage
      source={gateway}
      groups={GATEWAY_GROUPS}
      overrides={GATEWAY_OVERRIDES}
      {...(chosen && { initial: { domain: chosen } })}
      leadsTo={({ domain: own }) =>
        own
          ? { path: PAGES.detail(String(own)), search: { activeTab: 'GatewayList' } }
          : { path: PAGES.list }
      }
    />
  );
}
