import { assetPermission } from '@sallyport/contract';
import { useSearchRecord } from '../../base/navigation.tsx';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { ActionsField } from './ActionsField.tsx';
import { GrantedNodesField } from './GrantedNodesField.tsx';
import { words } from './words.ts';

const GROUPS: readonly FormGroup<keyof typeof assetPermission.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.user, fields: ['users', 'user_groups'] },
  { title: words.asset, fields: ['assets', 'nodes', 'system_users'] },
  { title: words.action, fields: ['actions'] },
  { title: words.other, fields: ['is_active', 'date_start', 'date_expired', 'comment'] },
];

const OVERRIDES: FieldOverrides = { actions: { widget: ActionsField }, nodes: { widget: GrantedNodesField } };

/** Creates or changes a rule; a new one begins with the node or asset it was opened from. */
export function AssetPermissionForm() {
  const { node, asset } = useSearchRecord();
  return (
    <FormPage source={assetPermission} groups={GROUPS} overrides={OVERRIDES} initial={{ ...(node && { nodes: [node] }), ...(asset && { assets: [asset] }) }} />
  );
}
