import { UnstyledButton } from '@mantine/core';
import { domain, gateway, type Row } from '@sallyport/contract';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink, useSearchRecord } from '../../navigation.tsx';
import { DetailCard } from '../../resource/detail/cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { FormPage } from '../../resource/form/FormPage.tsx';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { useRoom } from '../useRoom.ts';
import { words } from './words.ts';

const ObjectDialog = lazy(() => import('../../resource/dialog/ObjectDialog.tsx').then((module) => ({ default: module.ObjectDialog })));

const PATH = '/assets/domains';
type Domain = Row<typeof domain>;

/** Networks that are reached through gateways. */
export function DomainList() {
  const { tiny } = useRoom();
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
            hidden: tiny,
            cell: ({ id, asset_count: amount }) => (
              <PageLink to="/assets/assets" search={{ domain: id }}>
                {amount}
              </PageLink>
            ),
          },
          {
            name: 'gateway_count',
            width: 120,
            hidden: tiny,
            cell: (row) => (
              <PageLink to={`${PATH}/${row.id}`} search={{ activeTab: 'GatewayList' }}>
                {row.gateway_count}
              </PageLink>
            ),
          },
          { name: 'comment', hidden: tiny, cell: ({ comment }) => comment && <Clipped title={comment} /> },
          { name: 'date_created', hidden: true },
        ]}
        link={({ id }) => `${PATH}/${id}`}
        create={{ path: `${PATH}/create` }}
        update={({ id }) => `${PATH}/${id}/update`}
        hasDelete
      />
    </>
  );
}

/** Creates or changes a domain. */
export function DomainForm() {
  return <FormPage source={domain} listPath={PATH} groups={[{ title: words.basic, fields: ['name', 'assets', 'comment'] }]} />;
}

/** One domain and its gateways. */
export function DomainDetail() {
  const { tiny } = useRoom();
  const [shown, setShown] = useState<string>();
  return (
    <>
      <DetailPage<Domain>
        source={domain}
        listPath={PATH}
        updatePath={({ id }) => `${PATH}/${id}/update`}
        hasDelete
        tabs={(object) => [
          {
            name: 'Detail',
            label: t(words.domainDetail),
            render: () => (
              <DetailColumns
                left={<DetailCard source={domain} object={object} facts={['name', 'asset_count', 'gateway_count', 'date_created', 'comment']} />}
              />
            ),
          },
          {
            name: 'GatewayList',
            label: t(words.gateways),
            render: () => (
              <ResourceList<Row<typeof gateway>>
                source={gateway}
                embedded
                base={{ domain: object.id }}
                columns={[
                  {
                    name: 'name',
                    cell: ({ id, name }) => (
                      <UnstyledButton c="var(--mantine-color-anchor)" fz="inherit" onClick={() => setShown(id)}>
                        {name}
                      </UnstyledButton>
                    ),
                  },
                  { name: 'ip', mono: true, hidden: tiny },
                  { name: 'port', width: 90, hidden: tiny, mono: true, cell: ({ port }) => String(port) },
                  { name: 'protocol', width: 100, hidden: tiny },
                  { name: 'username', hidden: tiny },
                  { name: 'is_active', width: 90, hidden: tiny },
                  { name: 'comment', hidden: tiny, cell: ({ comment }) => comment && <Clipped title={comment} /> },
                ]}
                create={{ path: '/assets/gateways/create', search: { domain: object.id } }}
                update={({ id }) => `/assets/gateways/${id}/update`}
                hasDelete
              />
            ),
          },
        ]}
      />
      {shown && (
        <Suspense>
          <ObjectDialog
            mode="view"
            source={gateway}
            id={shown}
            groups={GATEWAY_GROUPS}
            overrides={GATEWAY_OVERRIDES}
            canEdit
            onClose={() => setShown(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

const GATEWAY_GROUPS: readonly FormGroup[] = [
  { title: words.basic, fields: ['name', 'ip', 'port', 'protocol', 'domain'] },
  { title: words.auth, fields: ['username', 'password', 'private_key'] },
  { title: words.other, fields: ['is_active', 'comment'] },
];

const GATEWAY_OVERRIDES: FieldOverrides = {
  protocol: { help: words.gatewayProtocol },
  // The domain comes with the way to this page, or is chosen when somebody comes here otherwise.
  domain: { disabled: (_values, updating) => updating },
};

/** Creates or changes a gateway of a domain. */
export function GatewayForm() {
  const { domain: chosen } = useSearchRecord();
  return (
    <FormPage
      source={gateway}
      groups={GATEWAY_GROUPS}
      overrides={GATEWAY_OVERRIDES}
      {...(chosen && { initial: { domain: chosen } })}
      listPath={PATH}
      leadsTo={({ domain: own }) => (own ? { path: `${PATH}/${own}`, search: { activeTab: 'GatewayList' } } : { path: PATH })}
    />
  );
}
