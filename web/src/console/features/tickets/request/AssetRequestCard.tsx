import { Button, Stack, Switch, Text } from '@mantine/core';
import { type AccessCheck, type AssetRequest, CONFIRM_FIELDS, type ConsequencesQuestion, type Page, REQUEST_TARGETS } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
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
import { AccessPreview } from '../../access/AccessPreview.tsx';
import { AccessAccounts } from '../../access/AccessReasons.tsx';
import { ActionsField } from '../../perms/ActionsField.tsx';
import { ACTION_TREE, ACTION_TREES } from '../../perms/actions.ts';
import { ABOUT, nameOf, referencesOf } from './about.ts';
import { REQUEST_KEY } from './useAssetRequest.ts';
import { words } from './words.ts';

const URL = 'tickets/request-asset-perm/';

const label = (en: string, zh: string) => ({ en, zh });
const factsOf = ({ target }: AssetRequest): readonly Fact<AssetRequest>[] => [
  ...(target === 'asset'
    ? ['hostname' as const, { name: 'ips', label: label('IP', 'IP'), value: ({ ips }: AssetRequest) => ips.join(', ') || '-' }]
    : [
        {
          name: 'target',
          label: label('Kind', '类别'),
          value: () => REQUEST_TARGETS.filter(({ value }) => value === target).map((choice) => t(choice.label))[0],
        },
        'application' as const,
      ]),
  'system_user',
  ...(target === 'remote_app' ? [] : [{ name: 'actions', label: label('Actions', '动作'), value: ({ actions }: AssetRequest) => namesOf(actions) }]),
  ...(target === 'database_app'
    ? [{ name: 'is_read_only', label: CONFIRM_FIELDS.is_read_only.label, value: ({ is_read_only: value }: AssetRequest) => <YesNo value={value} /> }]
    : []),
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
    fields: { hostname: fieldOf('Hostname', '主机名'), application: fieldOf('Name', '名称'), system_user: fieldOf('System user', '系统用户') },
  };
  const { permission } = request;
  return (
    <DetailCard
      source={source}
      object={request}
      title={t(words.requested)}
      facts={[
        ...factsOf(request),
        ...(permission
          ? [
              {
                name: 'permission',
                label: words.permission,
                value: () => (
                  <ObjectLink resource={ABOUT[request.target].permission} id={permission}>
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

const presentAccess = (user: string, target: AssetRequest['target'], things: readonly string[]) => ({
  queryKey: ['access-check', target, user, things],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    Promise.all(
      things
        .slice(0, 10)
        .map(async (thing) => ({ thing, check: await api.get<AccessCheck>(ABOUT[target].check, { query: { user, [target]: thing }, signal, quiet: true }) })),
    ),
  retry: false,
});

/** What the requester reaches already, one by one. */
function PresentAccess({ user, target, things }: { readonly user: string; readonly target: AssetRequest['target']; readonly things: readonly string[] }) {
  const { data } = useQuery({ ...presentAccess(user, target, things), enabled: things.length > 0 });
  if (!data || data.length === 0) return null;
  return (
    <section aria-label={t(words.has)}>
      <Text fz="sm" fw={500}>
        {t(words.has)}
      </Text>
      {data.map(({ thing, check }) => (
        <Text key={thing} component="div" fz="sm">
          <ObjectLink resource={target} id={thing}>
            {NAMES.get(thing) ?? t(common.more)}
          </ObjectLink>{' '}
          <YesNo value={check.granted} good={!check.granted} /> {check.access && <AccessAccounts accounts={check.access.accounts} />}
        </Text>
      ))}
    </section>
  );
}

/** The names of what was found for a request. */
const NAMES = new Map<string, string>();

/** The assets or applications and the account that the words of a request name, where they name one. */
function useSuggested(request: AssetRequest, enabled: boolean) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ['request-suggestion', request.id],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { list } = ABOUT[request.target];
      const exact = async (query: Readonly<Record<string, string>>) =>
        (await api.get<Page<Parameters<typeof nameOf>[0]>>(list, { query: { ...query, limit: 5 }, signal, quiet: true })).results;
      const name = request.target === 'asset' ? { hostname: request.hostname } : { name: request.application };
      const named = async () =>
        request.system_user
          ? (await api.get<Page<{ id: string }>>('assets/system-users/', { query: { name: request.system_user, limit: 2 }, signal, quiet: true })).results
          : [];
      const [byName, byAddress, accounts] = await Promise.all([
        Object.values(name)[0] ? exact(name) : [],
        Promise.all(request.ips.slice(0, 10).map((ip) => exact({ ip }))),
        named(),
      ]);
      const found = byName.length > 0 ? byName : byAddress.flat();
      for (const one of found) NAMES.set(one.id, nameOf(one));
      const things = found.map(({ id }) => id);
      // Shown together, so that nothing moves.
      if (request.user && things.length > 0) await client.prefetchQuery(presentAccess(request.user, request.target, things));
      return { things, accounts: accounts.length === 1 ? accounts.map(({ id }) => id) : [] };
    },
  });
}

interface AssetRequestDecisionProps {
  readonly request: AssetRequest;
  readonly refresh: () => Promise<void>;
  /** What is below. */
  readonly children: ReactNode;
}

/** Deciding about a request: which assets, which accounts, what and how long; with what it would open, and what the requester has. */
export function AssetRequestDecision({ request, refresh, children }: AssetRequestDecisionProps) {
  const { profile, organization } = useSession();
  const here = (organization?.id === 'DEFAULT' ? '' : (organization?.id ?? '')) === request.org_id;
  const decides = request.status === 'open' && request.assignees.includes(profile.id) && request.user !== profile.id;
  const { data: suggested, isPending } = useSuggested(request, decides && here);
  if (!decides) return children;
  if (!here) {
    return (
      <>
        <Card title={t(words.decide)}>
          <Text className={detail.body ?? ''}>{t(words.elsewhere, { name: request.org_name })}</Text>
        </Card>
        {children}
      </>
    );
  }
  if (isPending) return null;
  if (!suggested) return children;
  const first = {
    things: confirmedOf(request).length > 0 ? confirmedOf(request) : suggested.things,
    accounts: request.confirmed_system_user.length > 0 ? request.confirmed_system_user : suggested.accounts,
  };
  return (
    <>
      <Decision key={request.status} request={request} first={first} refresh={refresh} />
      {children}
    </>
  );
}

const confirmedOf = (request: AssetRequest) => request[ABOUT[request.target].confirmed];

interface DecisionProps {
  readonly request: AssetRequest;
  readonly first: { readonly things: readonly string[]; readonly accounts: readonly string[] };
  readonly refresh: () => Promise<void>;
}

function Decision({ request, first, refresh }: DecisionProps) {
  const client = useQueryClient();
  const [things, setThings] = useState(first.things);
  const [accounts, setAccounts] = useState(first.accounts);
  const [actions, setActions] = useState<readonly string[]>(request.actions);
  const [isReadOnly, setReadOnly] = useState(request.is_read_only);
  const [end, setEnd] = useState(request.date_expired);
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, readonly string[]>>>({});
  const problem = (name: string) => problems[name]?.join('; ');
  const { target } = request;
  const about = ABOUT[target];
  const [thingsOffered, accountsOffered] = referencesOf(target);
  const body = { [about.confirmed]: things, confirmed_system_user: accounts, actions, is_read_only: isReadOnly, date_expired: end };
  const isWhole = things.length > 0 && accounts.length > 0 && request.user !== null;

  const questionOf = (user: string): ConsequencesQuestion => ({
    action: 'save',
    resource: about.permission,
    ids: [],
    users: [user],
    user_groups: [],
    [about.field]: things,
    system_users: accounts,
    ...(target === 'asset' && { nodes: [] }),
    ...(target !== 'remote_app' && { actions }),
    ...(target === 'database_app' && { is_read_only: isReadOnly }),
    is_active: true,
    date_start: request.date_start,
    date_expired: end,
  });

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
        {thingsOffered && (
          <RemoteSelect
            reference={thingsOffered}
            label={t(CONFIRM_FIELDS[about.confirmed].label)}
            multiple
            required
            value={things}
            onChange={setThings}
            error={problem(about.field)}
          />
        )}
        {accountsOffered && (
          <RemoteSelect
            reference={accountsOffered}
            label={t(CONFIRM_FIELDS.confirmed_system_user.label)}
            multiple
            required
            value={accounts}
            onChange={setAccounts}
            error={problem('system_users')}
          />
        )}
        {target !== 'remote_app' && (
          <ActionsField
            name="actions"
            field={CONFIRM_FIELDS.actions}
            label={t(CONFIRM_FIELDS.actions.label)}
            required={false}
            disabled={busy}
            trees={target === 'database_app' ? [ACTION_TREE] : ACTION_TREES}
            error={problem('actions')}
            value={actions}
            onChange={(value) => setActions(Array.isArray(value) ? value.map(String) : [])}
            onBlur={() => undefined}
            updating
          />
        )}
        {target === 'database_app' && (
          <Switch
            label={t(CONFIRM_FIELDS.is_read_only.label)}
            checked={isReadOnly}
            disabled={busy}
            onChange={(event) => setReadOnly(event.currentTarget.checked)}
          />
        )}
        <DateTimeField label={t(CONFIRM_FIELDS.date_expired.label)} value={end} onChange={setEnd} error={problem('date_expired')} isEnd mustEnd required />
        {request.user && <PresentAccess user={request.user} target={target} things={things} />}
        <AccessPreview question={isWhole && request.user ? questionOf(request.user) : undefined} />
        <Button disabled={!isWhole || busy} loading={busy} onClick={() => void grant()}>
          {t(words.grant)}
        </Button>
      </Stack>
    </Card>
  );
}
