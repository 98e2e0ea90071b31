import { Input, MultiSelect, Select, Skeleton } from '@mantine/core';
import {
  type AssetRequest,
  REQUEST_FIELDS,
  REQUEST_TARGETS,
  type RequestAssignees,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { t } from '../../../../kit/i18n/index.ts';
import { useGo, useSearchRecord } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import type { FormValues } from '../../../resource/form/form-state.ts';
import { ResourceForm } from '../../../resource/form/ResourceForm.tsx';
import type { FieldOverrides, FormGroup, WidgetProps } from '../../../resource/form/spec.ts';
import { useForm } from '../../../resource/form/useForm.ts';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import { ActionsField } from '../../perms/ActionsField.tsx';
import { ACTION_TREE } from '../../perms/actions.ts';
import { words } from './words.ts';

const URL = 'tickets/request-asset-perm/';
const DEFAULT = 'DEFAULT';
const DAYS = 7;

const GROUPS: readonly FormGroup<keyof typeof REQUEST_FIELDS>[] = [
  {
    title: words.what,
    fields: [
      'target',
      'application',
      'hostname',
      'ips',
      'system_user',
      'actions',
      'is_read_only',
      'date_start',
      'date_expired',
    ],
  },
  { title: words.why, fields: ['title', 'body'] },
  { title: words.whom, fields: ['org_id', 'assignees'] },
];

/** A requested permission must end, so *Never* is not offered. */
function EndField({
  name: _,
  field: _field,
  label,
  value,
  onChange,
  error,
  disabled,
  required,
}: WidgetProps) {
  return (
    <DateTimeField
      label={label}
      value={String(value ?? '')}
      onChange={onChange}
      error={error}
      disabled={disabled}
      required={required}
      isEnd
      mustEnd
    />
  );
}

/** Databases have no port forwarding. */
const DatabaseActions = (props: WidgetProps) => <ActionsField {...props} trees={[ACTION_TREE]} />;

const isAbout = ({ target }: FormValues, ...targets: readonly string[]) =>
  targets.includes(String(target));

const overridesFor = (places: readonly RequestAssignees[]): FieldOverrides => ({
  application: {
    help: words.applicationHelp,
    required: true,
    hidden: (values) => isAbout(values, 'asset'),
  },
  hostname: { hidden: (values) => !isAbout(values, 'asset') },
  ips: { help: words.ipsHelp, hidden: (values) => !isAbout(values, 'asset') },
  is_read_only: { help: words.readOnlyHelp, hidden: (values) => !isAbout(values, 'database_app') },
  system_user: { help: words.accountHelp },
  title: { help: words.titleHelp },
  date_expired: { widget: EndField },
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

function RequestForm({ places }: { readonly places: readonly RequestAssignees[] }) {
  const { hostname = '', ip = '', account = '', target = '', application = '' } = useSearchRecord();
  const go = useGo();
  const [first] = places.toSorted((a, b) => Number(a.org_id === '') - Number(b.org_id === ''));
  const overrides: FieldOverrides = {
    ...overridesFor(places),
    actions: { widget: ActionsField, hidden: (values) => isAbout(values, 'remote_app') },
    assignees: {
      help: words.assigneesHelp,
      widget: ({ label, help, value, onChange, error }) => {
        const place = places.find(({ org_id }) => org_id === String(form.values.org_id ?? ''));
        if (!place || place.org_admins.length === 0)
          return (
            <Input.Wrapper label={label} labelElement="div" error={t(words.noAdministrator)} />
          );
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
            value={Array.isArray(value) ? value.map(String) : []}
            onChange={onChange}
          />
        );
      },
    },
  };
  const form = useForm(REQUEST_FIELDS, {
    cacheKey: [URL],
    groups: GROUPS,
    overrides,
    initial: {
      target: REQUEST_TARGETS.find(({ value }) => value === target)?.value ?? 'asset',
      application,
      is_read_only: false,
      hostname,
      ips: ip ? [ip] : [],
      system_user: account,
      actions: ['connect'],
      date_start: new Date().toISOString(),
      date_expired: new Date(Date.now() + DAYS * 86_400_000).toISOString(),
      org_id: first?.org_id ?? '',
      assignees: [],
    },
    save: (body) => api.post<AssetRequest>(URL, body),
    announce: () => toast.success(t(words.asked)),
    onSaved: (saved) =>
      void go(pagesOf('ticket').detail((saved as AssetRequest).id), { replace: true }),
  });
  const formOverrides = isAbout(form.values, 'database_app')
    ? { ...overrides, actions: { ...overrides.actions, widget: DatabaseActions } }
    : overrides;
  return (
    <ResourceForm
      submitText={words.send}
      form={form}
      groups={GROUPS}
      overrides={formOverrides}
      takesFocus
    />
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
