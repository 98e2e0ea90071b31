import { t } from '../../../kit/i18n/index.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { ListByNode } from '../../tree/ListByNode.tsx';
import { PermissionRules } from './PermissionRules.tsx';
import { words } from './words.ts';

/** Lists all permissions. Selecting a node keeps those that reach the node. */
export function AssetPermissionList() {
  return (
    <>
      <PageHeader hint={t(words.listHint)} />
      <ListByNode>
        {(node) => (
          <PermissionRules
            key={node ?? ''}
            chosen={node ? { node_id: node } : {}}
            preset={node ? { node } : {}}
          />
        )}
      </ListByNode>
    </>
  );
}
