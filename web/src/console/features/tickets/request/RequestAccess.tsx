import { Input, MultiSelect, Select, Skeleton, Text } from '@mantine/core';
import {
  type AssetRequest,
  list,
  REQUEST_FIELDS,
  REQUEST_TARGETS,
  type RequestAssignees,
  type RequestTarget,
  text,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { language, t } from '../../../../kit/i18n/index.ts';
import { useGo, useSearchRecord } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import type { FormValues } from '../../../resource/form/form-state.ts';
import { moreOptions } from '../../../resource/form/more-options.ts';
import { ResourceForm } from '../../../resource/form/ResourceForm.tsx';
import type { FieldOverrides, FormGroup, WidgetProps } from '../../../resource/form/spec.ts';
import { useForm } from '../../../resource/form/useForm.ts';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import { ACTION_TREE, ActionsField } from '../../access/index.ts';
import { LengthField } from './LengthField.tsx';
import { LENGTHS, lengthText, type Span } from './lengths.ts';
import { keyOf, TargetField, wishOf } from './TargetField.tsx';
import { words } from './words.ts';

const URL = 'tickets/request-asset-perm/';
const DEFAULT = 'DEFAULT';
const MINUTE = 60_000;
/** Administrators that the line above the buttons names. */
const NAMED = 3;

type Own = 'things' | 'span';

const GROUPS: readonly FormGroup<(keyof typeof REQUEST_FIELDS & string) | Own>[] = [
  { title: words.what, fields: ['org_id', 'things', 'system_user', 'span', 'body'] },
  moreOptions(['actions', 'is_read_only', 'assignees', 'title']),
];

/** Fields of the page: the request that is sent names targets and dates in several fields. */
const OWN = {
  things: list({
    label: words.need,
    max: 512,
    minItems: 1,
    maxItems: 20,
  }),
  span: text({ label: words.length, max: 64 }),
};

/** A duration is kept as its minutes, and a fixed end as its date. */
const spanOf = (value: unknown): Span =>
  /^\d+$/.test(String(value)) ? { minutes: Number(value) } : { until: String(value) };

function SpanField({ label, value, onChange, error, disabled }: WidgetProps) {
  return (
    <LengthField
      label={label}
      dateLabel={t(REQUEST_FIELDS.date_expired.label)}
      value={spanOf(value)}
      onChange={(span) => onChange('minutes' in span ? String(span.minutes) : span.until)}
      error={error}
      disabled={disabled}
    />
  );
}

/** Databases have no port forwarding. */
const DatabaseActions = (props: WidgetProps) => <ActionsField {...props} trees={[ACTION_TREE]} />;

const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

const wishesOf = ({ things }: FormValues) => textsOf(things).map(wishOf);

const isAbout = (values: FormValues, ...targets: readonly string[]) =>
  targets.includes(wishesOf(values)[0]?.target ?? 'asset');

/** The fields of a request that name its targets and dates. */
function bodyOf(values: FormValues) {
  const wishes = wishesOf(values);
  const [first, ...others] = wishes;
  const span = spanOf(values.span);
  const end = 'minutes' in span ? new Date(Date.now() + span.minutes * MINUTE) : span.until;
  return {
    target: first?.target ?? 'asset',
    ...(first?.target === 'asset'
      ? { hostname: first.name, ips: others.map(({ name, address }) => address || name) }
      : { application: first?.name ?? '' }),
    date_expired: end instanceof Date ? end.toISOString() : end,
  };
}

const overridesFor = (places: readonly RequestAssignees[]): FieldOverrides => ({
  is_read_only: { help: words.readOnlyHelp, hidden: (values) => !isAbout(values, 'database_app') },
  system_user: { help: words.accountHelp },
  title: { help: words.titleHelp },
  span: { clientOnly: OWN.span, widget: SpanField, isWide: true },
  org_id: {
    hidden: () => places.length < 2,
    widget: ({ label, value, onChange, error }) => (
      <Select
        label={label}
        error={error}
        allowDeselect={false}
        data={places.map(({ org_id, org_name }) => ({
          value: org_id || DEFAULT,
          label: org_id ? org_name : DEFAULT,
        }))}
        value={String(value ?? '') || DEFAULT}
        onChange={(chosen) => onChange(chosen === DEFAULT ? '' : (chosen ?? ''))}
      />
    ),
  },
});

/** The form around a field: its organization, and the kind of typed names. */
const Around = createContext<{
  readonly place: RequestAssignees | undefined;
  readonly usual: RequestTarget;
}>({ place: undefined, usual: 'asset' });

function ThingsField({ label, value, onChange, error }: WidgetProps) {
  const { place, usual } = useContext(Around);
  return (
    <TargetField
      label={label}
      value={textsOf(value)}
      onChange={onChange}
      usual={usual}
      organization={place?.org_id ?? ''}
      error={error}
    />
  );
}

function AssigneesField({ label, help, value, onChange, error }: WidgetProps) {
  const { place } = useContext(Around);
  if (!place || place.org_admins.length === 0)
    return <Input.Wrapper label={label} labelElement="div" error={t(words.noAdministrator)} />;
  return (
    <MultiSelect
      label={label}
      description={help}
      error={error}
      searchable
      data={place.org_admins.map(({ id, name, username }) => ({
        value: id,
        label: `${name}(${username})`,
      }))}
      value={textsOf(value)}
      onChange={onChange}
    />
  );
}

/** Names the administrators who decide, and how long it usually takes. */
function WhoDecides({ place }: { readonly place: RequestAssignees | undefined }) {
  if (!place || place.org_admins.length === 0) return null;
  const names = place.org_admins.slice(0, NAMED).map(({ name }) => name);
  const others = place.org_admins.length - names.length;
  const separator = language === 'zh' ? '、' : ', ';
  return (
    <Text fz="sm" c="dimmed" mr="auto">
      {t(others > 0 ? words.goesToMany : words.goesTo, {
        names: names.join(separator),
        count: others,
      })}
      {place.usual_minutes !== null &&
        ` ${t(words.usually, { length: lengthText(place.usual_minutes) })}`}
    </Text>
  );
}

function RequestForm({ places }: { readonly places: readonly RequestAssignees[] }) {
  const { hostname = '', ip = '', account = '', target = '', application = '' } = useSearchRecord();
  const go = useGo();
  const [first] = places.toSorted((a, b) => Number(a.org_id === '') - Number(b.org_id === ''));
  const usual = REQUEST_TARGETS.find(({ value }) => value === target)?.value ?? 'asset';
  const preset = usual === 'asset' ? hostname || ip : application;
  const overrides: FieldOverrides = {
    ...overridesFor(places),
    things: { clientOnly: OWN.things, isWide: true, widget: ThingsField },
    actions: { widget: ActionsField, hidden: (values) => isAbout(values, 'remote_app') },
    assignees: { help: words.assigneesHelp, widget: AssigneesField },
  };
  const form = useForm(REQUEST_FIELDS, {
    cacheKey: [URL],
    groups: GROUPS,
    overrides,
    initial: {
      things: preset ? [keyOf({ target: usual, name: preset, address: hostname ? ip : '' })] : [],
      span: String(LENGTHS[0]),
      is_read_only: false,
      system_user: account,
      actions: ['connect'],
      org_id: first?.org_id ?? '',
      assignees: [],
    },
    save: (body, values) => api.post<AssetRequest>(URL, { ...body, ...bodyOf(values) }),
    announce: () => toast.success(t(words.asked)),
    onSaved: (saved) =>
      void go(pagesOf('ticket').detail((saved as AssetRequest).id), { replace: true }),
  });
  const formOverrides = isAbout(form.values, 'database_app')
    ? { ...overrides, actions: { ...overrides.actions, widget: DatabaseActions } }
    : overrides;
  const place = places.find(({ org_id }) => org_id === String(form.values.org_id ?? ''));
  return (
    <Around.Provider value={{ place, usual }}>
      <ResourceForm
        submitText={words.send}
        form={form}
        groups={GROUPS}
        overrides={formOverrides}
        takesFocus
        extra={<WhoDecides place={place} />}
      />
    </Around.Provider>
  );
}

/** Requests access from an administrator. The address can preset the server and account. */
export function RequestAccess() {
  const { data, error, refetch } = useQuery({
    queryKey: [URL, 'assignees'],
    queryFn: ({ signal }) =>
      api.get<readonly RequestAssignees[]>(`${URL}assignees/`, { signal, quiet: true }),
  });
  return (
    <>
      <PageHeader hint={t(words.hint)} onBack={() => history.back()} />
      {error && <LoadFailed error={error} onRetry={() => void refetch()} />}
      {data ? <RequestForm places={data} /> : !error && <Skeleton height={480} />}
    </>
  );
}
