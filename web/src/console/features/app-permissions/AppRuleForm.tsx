import {
  type ConsequencesQuestion,
  databaseAppPermission,
  remoteAppPermission,
} from '@sallyport/contract';
import { useObjectId, useSearchRecord } from '../../base/navigation.tsx';
import { type FormValues, problemOf } from '../../resource/form/form-state.ts';
import { GUIDE } from '../../resource/form/guide-places.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import type { FieldOverrides, FormGroup, WidgetProps } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { narrowed } from '../../resource/references.ts';
import { ACTION_TREE, AccessPreview, ActionsField, agreeToAccess } from '../access/index.ts';
import { APPROVAL_FIELDS, APPROVAL_TERMS, agreeToNothing } from '../perms/index.ts';
import { type AppKind, DATABASES, REMOTE } from './kinds.ts';
import { words } from './words.ts';

/** Chooses system users that work with applications of a kind. */
function AccountsField({
  kind,
  label,
  help,
  error,
  required,
  disabled,
  value,
  onChange,
}: WidgetProps & { readonly kind: AppKind }) {
  return (
    <RemoteSelect
      reference={narrowed('system_user', { protocol__in: kind.protocols })}
      label={label}
      description={help}
      error={error}
      required={required}
      disabled={disabled}
      multiple
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
    />
  );
}
const RemoteAccounts = (props: WidgetProps) => <AccountsField {...props} kind={REMOTE} />;
const DatabaseAccounts = (props: WidgetProps) => <AccountsField {...props} kind={DATABASES} />;

/** Databases have no port forwarding. */
const DatabaseActions = (props: WidgetProps) => <ActionsField {...props} trees={[ACTION_TREE]} />;

const REMOTE_GROUPS: readonly FormGroup<keyof typeof remoteAppPermission.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.who, fields: ['users', 'user_groups'] },
  { title: words.remoteWhere, fields: ['remote_apps', 'system_users'] },
  { title: words.until, fields: ['date_expired'] },
  moreOptions([
    'condition',
    'needs_approval',
    'approval_minutes',
    ...APPROVAL_FIELDS,
    'date_start',
    'is_active',
    'comment',
  ]),
];
const DATABASE_GROUPS: readonly FormGroup<keyof typeof databaseAppPermission.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.who, fields: ['users', 'user_groups'] },
  { title: words.databaseWhere, fields: ['database_apps', 'system_users'] },
  { title: words.terms, fields: ['date_expired', 'actions', 'is_read_only'] },
  moreOptions([
    'condition',
    'mfa_minutes',
    'needs_approval',
    'approval_minutes',
    ...APPROVAL_FIELDS,
    'date_start',
    'is_active',
    'comment',
  ]),
];
const REMOTE_OVERRIDES: FieldOverrides = {
  system_users: { widget: RemoteAccounts, help: REMOTE.accountsHelp },
  ...APPROVAL_TERMS,
};
const DATABASE_OVERRIDES: FieldOverrides = {
  system_users: { widget: DatabaseAccounts, help: DATABASES.accountsHelp },
  actions: { widget: DatabaseActions },
  mfa_minutes: { guide: GUIDE.permissionFactor },
  ...APPROVAL_TERMS,
};

const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/**
 * Builds the question about consequences that the form asks before saving. Returns undefined while
 * the form is incomplete.
 */
function plannedBy(
  { resource, field, target }: AppKind,
  values: FormValues,
  id: string,
): ConsequencesQuestion | undefined {
  const idsOf = (name: string) => idsIn(values[name]);
  const terms = {
    users: idsOf('users'),
    user_groups: idsOf('user_groups'),
    [field]: idsOf(field),
    system_users: idsOf('system_users'),
  };
  const isWhole =
    terms.users.length + terms.user_groups.length > 0 &&
    idsOf(field).length > 0 &&
    terms.system_users.length > 0;
  if (!id && !isWhole) return undefined;
  // The server rejects a half-typed date.
  if (
    (['date_start', 'date_expired'] as const).some((name) =>
      problemOf(values[name], false, resource.fields[name]),
    )
  )
    return undefined;
  const [date_start, date_expired] = [
    String(values.date_start ?? ''),
    String(values.date_expired ?? ''),
  ];
  return {
    ...{
      action: 'save',
      resource: target === 'remote_app' ? 'remote_app_permission' : 'database_app_permission',
      ids: id ? [id] : [],
      ...terms,
    },
    ...(target === 'database_app' && {
      actions: idsIn(values.actions),
      is_read_only: values.is_read_only === true,
    }),
    is_active: values.is_active === true,
    ...(date_start && { date_start }),
    ...(date_expired && { date_expired }),
  };
}

/** Previews the access that saving the form grants and removes. */
function previewOf(kind: AppKind, id: string) {
  return {
    notice: (values: FormValues, dirty: boolean) => (
      <AccessPreview question={dirty ? plannedBy(kind, values, id) : undefined} />
    ),
    agree: async (values: FormValues) =>
      (await agreeToNothing(values, [kind.field], kind.lacks)) &&
      agreeToAccess(plannedBy(kind, values, id)),
  };
}

/**
 * Creates or changes a permission for remote apps. The address can preset the app or user of a new
 * one.
 */
export function RemoteAppPermissionForm() {
  const { app, user } = useSearchRecord();
  const initial = { ...(app && { remote_apps: [app] }), ...(user && { users: [user] }) };
  return (
    <FormPage
      source={remoteAppPermission}
      groups={REMOTE_GROUPS}
      overrides={REMOTE_OVERRIDES}
      initial={initial}
      {...previewOf(REMOTE, useObjectId())}
    />
  );
}

/**
 * Creates or changes a permission for databases. The address can preset the database or user of a
 * new one.
 */
export function DatabaseAppPermissionForm() {
  const { app, user } = useSearchRecord();
  const initial = { ...(app && { database_apps: [app] }), ...(user && { users: [user] }) };
  return (
    <FormPage
      source={databaseAppPermission}
      groups={DATABASE_GROUPS}
      overrides={DATABASE_OVERRIDES}
      initial={initial}
      {...previewOf(DATABASES, useObjectId())}
    />
  );
}
