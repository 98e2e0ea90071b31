import { adminUser, asset, choice, type Fields, secret, text } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError, api, type FieldMessages } from '../../../kit/api.ts';
import { useObjectId, useSearchRecord } from '../../base/navigation.tsx';
import { type FormValues, isBlank } from '../../resource/form/form-state.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { cacheKey, listUrl } from '../../resource/source.ts';
import { PlatformField } from './PlatformField.tsx';
import { ProtocolsField } from './ProtocolsField.tsx';
import { words } from './words.ts';

const STORED = 'stored';
const NEW = 'new';
const { username, password, private_key: key } = adminUser.fields;

/** Fields of the asset form for an admin user that is created with the asset. */
const FIELDS = {
  account: choice({
    label: words.signInWith,
    choices: [
      { value: STORED, label: words.storedAccount },
      { value: NEW, label: words.newAccount },
    ],
    defaultValue: STORED,
  }),
  account_username: text({ label: username.label, max: 32, format: 'username', example: 'root' }),
  account_password: secret({
    label: password.label,
    ...(password.help && { help: password.help }),
    max: password.max,
  }),
  account_key: secret({ label: key.label, max: key.max, multiline: true }),
} as const satisfies Fields;

type AccountField = keyof typeof FIELDS;

/** Returns true if the form creates an admin user. */
const isNewAccount = (values: FormValues) => values.account === NEW;
const isStored = (values: FormValues) => !isNewAccount(values);

/** Also for existing assets, which have no such field. */
const ACCOUNT_INITIAL: FormValues = { account: STORED };

/** The stored admin user, or the fields of a new one. */
const ACCOUNT_OVERRIDES: FieldOverrides = {
  account: { clientOnly: FIELDS.account, isControl: true, isWide: true },
  admin_user: { hidden: isNewAccount },
  account_username: {
    clientOnly: FIELDS.account_username,
    required: true,
    hidden: isStored,
    help: words.newAccountHelp,
  },
  account_password: { clientOnly: FIELDS.account_password, hidden: isStored },
  account_key: { clientOnly: FIELDS.account_key, hidden: isStored },
};

const FORM_NAMES: Readonly<Record<string, AccountField>> = {
  name: 'account_username',
  username: 'account_username',
  password: 'account_password',
  private_key: 'account_key',
};

/** Returns the problems of an admin user under the fields of the asset form. */
const renamed = (fields: FieldMessages): FieldMessages =>
  Object.fromEntries(
    Object.entries(fields).map(([name, texts]) => [FORM_NAMES[name] ?? name, texts]),
  );

/**
 * Returns a step of saving an asset that creates the new admin user first. If the asset is rejected
 * afterwards, the next attempt uses the admin user that exists by then.
 */
function useAssetAccount() {
  const client = useQueryClient();
  const created = useRef<{ readonly body: string; readonly id: string }>(undefined);
  return async (values: FormValues): Promise<true | FormValues> => {
    if (!isNewAccount(values)) return true;
    const name = `${values.account_username}@${values.hostname}`;
    const body = {
      name,
      username: values.account_username,
      ...(values.account_password !== '' && { password: values.account_password }),
      ...(values.account_key !== '' && { private_key: values.account_key }),
    };
    const key = JSON.stringify({ ...body, name: undefined });
    if (created.current?.body !== key) {
      try {
        const { id } = await api.post<{ readonly id: string }>(listUrl(adminUser), body);
        created.current = { body: key, id };
      } catch (error) {
        if (!(error instanceof ApiError) || !error.fields) throw error;
        throw new ApiError(error.status, error.code, error.detail, renamed(error.fields));
      }
      await client.invalidateQueries({ queryKey: cacheKey(adminUser) });
    }
    return { ...values, admin_user: created.current?.id };
  };
}

const GROUPS: readonly FormGroup<keyof typeof asset.fields | AccountField>[] = [
  { title: words.address, fields: ['hostname', 'ip', 'protocols'], columns: 3 },
  {
    title: words.auth,
    fields: ['account', 'admin_user', 'account_username', 'account_password', 'account_key'],
  },
  { title: words.place, fields: ['platform', 'nodes', 'labels'], columns: 3 },
  moreOptions(['domain', 'public_ip', 'number', 'is_active', 'comment']),
];

const OVERRIDES: FieldOverrides = {
  ...ACCOUNT_OVERRIDES,
  platform: { widget: PlatformField },
  protocols: { widget: ProtocolsField },
};

/** Creates or changes an asset. A new one starts on the node selected in the tree. */
export function AssetForm() {
  const { node } = useSearchRecord();
  const isNew = useObjectId() === '';
  const createAccount = useAssetAccount();
  return (
    <FormPage<typeof asset.fields, AccountField>
      source={asset}
      groups={GROUPS}
      overrides={OVERRIDES}
      agree={createAccount}
      // Omitting the nodes puts a new asset on the root. An existing asset must keep at least one
      // node.
      toBody={({ nodes, ...body }) => (isNew && isBlank(nodes) ? body : { ...body, nodes })}
      initial={{ ...ACCOUNT_INITIAL, platform: 'Linux', ...(node && { nodes: [node] }) }}
      {...(node && { listSearch: { node } })}
    />
  );
}
