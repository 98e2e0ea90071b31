import { Button, Stack, Text } from '@mantine/core';
import { type AccessCheck, type AssetRequest, CONFIRM_FIELDS, type Page } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { formatDate } from '../../../../kit/format.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { toast } from '../../../../kit/toast.tsx';
import { useSession } from '../../../base/session.tsx';
import { Card, DetailCard, type Fact } from '../../../resource/detail/Cards.tsx';
import detail from '../../../resource/detail/Detail.module.css';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import { RemoteSelect } from '../../../resource/form/RemoteSelect.tsx';
import { YesNo } from '../../../resource/list/columns.tsx';
import { Moment } from '../../../resource/list/Moment.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import { referenceTo } from '../../../resource/references.ts';
import { AccessPreview } from '../../access/AccessPreview.tsx';
import { AccessAccounts } from '../../access/AccessReasons.tsx';
import { ActionsField } from '../../perms/ActionsField.tsx';
import { REQUEST_KEY } from './useAssetRequest.ts';
import { words } from './words.ts';

const URL = 'tickets/request-asset-perm/';
const ASSETS = referenceTo('asset');
const ACCOUNTS = referenceTo('system_user');

const label = (en: string, zh: string) => ({ en, zh });
const FACTS: readonly Fact<AssetRequest>[] = [
  'hostname',
  { name: 'ips', label: label('IP', 'IP'), value: ({ ips }) => ips.join(', ') || '-' },
  'system_user',
  { name: 'actions', label: label('Actions', '动作'), value: ({ actions }) => namesOf(actions) },
  { name: 'date_start', label: label('Date start', '开始日期'), value: ({ date_start: date }) => <Moment date={date} exact /> },
  { name: 'date_expired', label: label('Date expired', '失效日期'), value: ({ date_expired: date }) => <Moment date={date} exact /> },
  { name: 'org_name', label: label('Organization', '组织'), value: ({ org_name: name }) => name },
];

function namesOf(actions: readonly string[]): string {
  const { choices } = CONFIRM_FIELDS.actions;
  return choices
    .filter(({ value }) => actions.includes(String(value)))
    .map((choice) => t(choice.label))
    .join(', ');
}

/** What was asked for, and the permission that came of it. */
export function AssetRequestFacts({ request }: { readonly request: AssetRequest }) {
  const source = {
    name: 'ticket',
    path: 'tickets/request-asset-perm',
    title: words.request,
    labelField: 'title',
    fields: { hostname: fieldOf('Hostname', '主机名'), system_user: fieldOf('System user', '系统用户') },
  };
  const { permission } = request;
  return (
    <DetailCard
      source={source}
      object={request}
      title={t(words.requested)}
      facts={[
        ...FACTS,
        ...(permission
          ? [
              {
                name: 'permission',
                label: words.permission,
                value: () => (
                  <ObjectLink resource="asset_permission" id={permission}>
                    {request.title}
                  </ObjectLink>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

const fieldOf = (en: string, zh: string) => ({ ...CONFIRM_FIELDS.date_start, kind: 'text', format: 'plain', allowBlank: true, label: { en, zh } }) as const;

/** What the requester reaches already, asset by asset. */
function PresentAccess({ user, assets }: { readonly user: string; readonly assets: readonly string[] }) {
  const { data } = useQuery({
    queryKey: ['access-check', user, assets],
    queryFn: ({ signal }) =>
      Promise.all(
        assets
          .slice(0, 10)
          .map(async (asset) => ({ asset, check: await api.get<AccessCheck>('perms/access/check/', { query: { user, asset }, signal, quiet: true }) })),
      ),
    enabled: assets.length > 0,
    retry: false,
  });
  if (!data || data.length === 0) return null;
  return (
    <section aria-label={t(words.has)}>
      <Text fz="sm" fw={500}>
        {t(words.has)}
      </Text>
      {data.map(({ asset, check }) => (
        <Text key={asset} component="div" fz="sm">
          <ObjectLink resource="asset" id={asset}>
            {ASSET_NAMES.get(asset) ?? t(common.more)}
          </ObjectLink>{' '}
          <YesNo value={check.granted} good={!check.granted} /> {check.access && <AccessAccounts accounts={check.access.accounts} />}
        </Text>
      ))}
    </section>
  );
}

/** The names of the assets that were found for a request. */
const ASSET_NAMES = new Map<string, string>();

interface Found {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
}

/** The assets and the account that the words of a request name, where they name one. */
function useSuggested(request: AssetRequest, enabled: boolean) {
  return useQuery({
    queryKey: ['request-suggestion', request.id],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const exact = async (query: Readonly<Record<string, string>>) =>
        (await api.get<Page<Found>>('assets/assets/', { query: { ...query, limit: 5 }, signal, quiet: true })).results;
      const byName = request.hostname ? await exact({ hostname: request.hostname }) : [];
      const byAddress = (await Promise.all(request.ips.slice(0, 10).map((ip) => exact({ ip })))).flat();
      const found = byName.length > 0 ? byName : byAddress;
      for (const { id, hostname, ip } of found) ASSET_NAMES.set(id, `${hostname}(${ip})`);
      const accounts = request.system_user
        ? (await api.get<Page<{ id: string }>>('assets/system-users/', { query: { name: request.system_user, limit: 2 }, signal, quiet: true })).results
        : [];
      return { assets: found.map(({ id }) => id), accounts: accounts.length === 1 ? accounts.map(({ id }) => id) : [] };
    },
  }).data;
}

/** Deciding about a request: which assets, which accounts, what and how long; with what it would open, and what the requester has. */
export function AssetRequestDecision({ request, refresh }: { readonly request: AssetRequest; readonly refresh: () => Promise<void> }) {
  const { profile, organization } = useSession();
  const here = (organization?.id === 'DEFAULT' ? '' : (organization?.id ?? '')) === request.org_id;
  const decides = request.status === 'open' && request.assignees.includes(profile.id) && request.user !== profile.id;
  const suggested = useSuggested(request, decides && here);
  if (!decides) return null;
  if (!here) {
    return (
      <Card title={t(words.decide)}>
        <Text className={detail.body ?? ''}>{t(words.elsewhere, { name: request.org_name })}</Text>
      </Card>
    );
  }
  if (!suggested) return null;
  const first = {
    confirmed_assets: request.confirmed_assets.length > 0 ? request.confirmed_assets : suggested.assets,
    confirmed_system_user: request.confirmed_system_user.length > 0 ? request.confirmed_system_user : suggested.accounts,
  };
  return <Decision request={request} first={first} refresh={refresh} />;
}

interface DecisionProps {
  readonly request: AssetRequest;
  readonly first: Pick<AssetRequest, 'confirmed_assets' | 'confirmed_system_user'>;
  readonly refresh: () => Promise<void>;
}

function Decision({ request, first, refresh }: DecisionProps) {
  const client = useQueryClient();
  const [assets, setAssets] = useState(first.confirmed_assets);
  const [accounts, setAccounts] = useState(first.confirmed_system_user);
  const [actions, setActions] = useState<readonly string[]>(request.actions);
  const [end, setEnd] = useState(request.date_expired);
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, readonly string[]>>>({});
  const problem = (name: string) => problems[name]?.join('; ');
  const body = { confirmed_assets: assets, confirmed_system_user: accounts, actions, date_expired: end };
  const isWhole = assets.length > 0 && accounts.length > 0 && request.user !== null;

  async function grant() {
    setBusy(true);
    setProblems({});
    try {
      await api.post(`${URL}${request.id}/approve/`, body);
      toast.success(t(common.updateSuccess));
    } catch (cause) {
      if (cause instanceof ApiError) setProblems(cause.fields ?? {});
    } finally {
      await client.invalidateQueries({ queryKey: REQUEST_KEY });
      await refresh();
      setBusy(false);
    }
  }

  return (
    <Card title={t(words.decide)}>
      <Stack className={detail.body ?? ''} gap="sm">
        {ASSETS && (
          <RemoteSelect
            reference={ASSETS}
            label={t(CONFIRM_FIELDS.confirmed_assets.label)}
            multiple
            required
            value={assets}
            onChange={setAssets}
            error={problem('assets')}
          />
        )}
        {ACCOUNTS && (
          <RemoteSelect
            reference={ACCOUNTS}
            label={t(CONFIRM_FIELDS.confirmed_system_user.label)}
            multiple
            required
            value={accounts}
            onChange={setAccounts}
            error={problem('system_users')}
          />
        )}
        <ActionsField
          name="actions"
          field={CONFIRM_FIELDS.actions}
          label={t(CONFIRM_FIELDS.actions.label)}
          required={false}
          disabled={busy}
          value={actions}
          onChange={(value) => setActions(Array.isArray(value) ? value.map(String) : [])}
          onBlur={() => undefined}
          updating
        />
        <DateTimeField label={t(CONFIRM_FIELDS.date_expired.label)} value={end} onChange={setEnd} error={problem('date_expired')} isEnd mustEnd required />
        {request.user && <PresentAccess user={request.user} assets={assets} />}
        <AccessPreview
          question={
            isWhole && request.user
              ? {
                  ...{
                    action: 'save',
                    resource: 'asset_permission',
                    ids: [],
                    users: [request.user],
                    user_groups: [],
                    assets,
                    nodes: [],
                    system_users: accounts,
                  },
                  ...{ actions, is_active: true },
                  date_start: formatDate(request.date_start),
                  date_expired: formatDate(end),
                }
              : undefined
          }
        />
        <Button disabled={!isWhole || busy} loading={busy} onClick={() => void grant()}>
          {t(words.grant)}
        </Button>
      </Stack>
    </Card>
  );
}
