import { asset } from '@sallyport/contract';
import { useObjectId, useSearchRecord } from '../../base/navigation.tsx';
import { isBlank } from '../../resource/form/form-state.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { ACCOUNT_INITIAL, ACCOUNT_OVERRIDES, type AccountField } from './asset-account.ts';
import { PlatformField } from './PlatformField.tsx';
import { ProtocolsField } from './ProtocolsField.tsx';
import { useAssetAccount } from './useAssetAccount.ts';
import { words } from './words.ts';

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
