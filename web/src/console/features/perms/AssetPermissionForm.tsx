import { assetPermission } from '@sallyport/contract';
import { useSearchRecord } from '../../base/navigation.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { ActionsField } from './ActionsField.tsx';
import { GrantedNodesField } from './GrantedNodesField.tsx';
import { PermissionSentence, type Stated } from './PermissionSentence.tsx';
import { words } from './words.ts';

const GROUPS: readonly FormGroup<keyof typeof assetPermission.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.user, fields: ['users', 'user_groups'] },
  { title: words.asset, fields: ['assets', 'nodes', 'system_users'] },
  { title: words.action, fields: ['actions'] },
  { title: words.other, fields: ['is_active', 'date_start', 'date_expired', 'comment'] },
];

const OVERRIDES: FieldOverrides = { actions: { widget: ActionsField }, nodes: { widget: GrantedNodesField } };

const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/** What a form says so far. */
const statedBy = (values: FormValues): Stated => ({
  users: idsIn(values.users),
  user_groups: idsIn(values.user_groups),
  assets: idsIn(values.assets),
  nodes: idsIn(values.nodes),
  system_users: idsIn(values.system_users),
  actions: idsIn(values.actions),
  is_active: values.is_active === true,
  date_expired: String(values.date_expired ?? ''),
});

/** Creates or changes a rule; a new one begins with the objects that the address names. */
export function AssetPermissionForm() {
  const { node, asset, user, system_user: account } = useSearchRecord();
  const initial = {
    ...(node && { nodes: [node] }),
    ...(asset && { assets: [asset] }),
    ...(user && { users: [user] }),
    ...(account && { system_users: [account] }),
  };
  return (
    <FormPage
      source={assetPermission}
      groups={GROUPS}
      overrides={OVERRIDES}
      lead={(values) => <PermissionSentence permission={statedBy(values)} />}
      notice={(values) => <PermissionSentence permission={statedBy(values)} onlyWarning />}
      initial={initial}
    />
  );
}
