import { Input, MultiSelect, Select, Skeleton } from '@mantine/core';
import { type AssetRequest, REQUEST_FIELDS, type RequestAssignees } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { toast } from '../../../../kit/toast.tsx';
import { useGo, useSearchRecord } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import { ResourceForm } from '../../../resource/form/ResourceForm.tsx';
import type { FieldOverrides, FormGroup, WidgetProps } from '../../../resource/form/spec.ts';
import { useForm } from '../../../resource/form/useForm.ts';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import { ActionsField } from '../../perms/ActionsField.tsx';
import { words } from './words.ts';

const URL = 'tickets/request-asset-perm/';
const DEFAULT = 'DEFAULT';
const DAYS = 7;

const GROUPS: readonly FormGroup<keyof typeof REQUEST_FIELDS>[] = [
  { title: words.what, fields: ['hostname', 'ips', 'system_user', 'actions', 'date_start', 'date_expired'] },
  { title: words.why, fields: ['title', 'body'] },
  { title: words.whom, fields: ['org_id', 'assignees'] },
];

/** A request ends: *Never* is not offered. */
function EndField({ name: _, field: _field, label, value, onChange, error, disabled, required }: WidgetProps) {
  return <DateTimeField label={label} value={String(value ?? '')} onChange={onChange} error={error} disabled={disabled} required={required} isEnd mustEnd />;
}

const overridesFor = (places: readonly RequestAssignees[]): FieldOverrides => ({
  actions: { widget: ActionsField },
  ips: { help: words.ipsHelp },
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
        data={places.map(({ org_id, org_name }) => ({ value: org_id || DEFAULT, label: org_id ? org_name : DEFAULT }))}
        value={String(value ?? '') || DEFAULT}
        onChange={(chosen) => onChange(chosen === DEFAULT ? '' : (chosen ?? ''))}
      />
    ),
  },
});

function RequestForm({ places }: { readonly places: readonly RequestAssignees[] }) {
  const { hostname = '', ip = '', account = '' } = useSearchRecord();
  const go = useGo();
  const [first] = places.toSorted((a, b) => Number(a.org_id === '') - Number(b.org_id === ''));
  const overrides: FieldOverrides = {
    ...overridesFor(places),
    assignees: {
      help: words.assigneesHelp,
      widget: ({ label, help, value, onChange, error }) => {
        const place = places.find(({ org_id }) => org_id === String(form.values.org_id ?? ''));
        if (!place || place.org_admins.length === 0) return <Input.Wrapper label={label} labelElement="div" error={t(words.noAdministrator)} />;
        return (
          <MultiSelect
            label={label}
            description={help}
            error={error}
            searchable
            data={place.org_admins.map(({ id, name, username }) => ({ value: id, label: `${name}(${username})` }))}
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
    onSaved: (saved) => void go(pagesOf('ticket').detail((saved as AssetRequest).id), { replace: true }),
  });
  return <ResourceForm form={form} groups={GROUPS} overrides={overrides} takesFocus />;
}

/** Asking an administrator for access. The address may name the server and the account. */
export function RequestAccess() {
  const { data, error, refetch } = useQuery({
    queryKey: [URL, 'assignees'],
    queryFn: ({ signal }) => api.get<readonly RequestAssignees[]>(`${URL}assignees/`, { signal, quiet: true }),
  });
  return (
    <>
      <PageHeader hint={t(words.hint)} onBack={() => history.back()} />
      {error && <LoadFailed error={error} onRetry={() => void refetch()} />}
      {data ? <RequestForm places={data} /> : !error && <Skeleton height={480} />}
    </>
  );
}
