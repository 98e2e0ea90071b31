import type { AccessAccount, AccessPath } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import styles from './Access.module.css';
import { words } from './words.ts';

const PERMISSION = pagesOf('asset_permission');
const GROUP = pagesOf('user_group');
const NODE_FILTER = pagesOf('asset').list;

/** The permissions by which a user reaches an asset, each with the group and the node that lead there. */
export function AccessReasons({ paths }: { readonly paths: readonly AccessPath[] }) {
  return (
    <ul className={styles.reasons}>
      {paths.map(({ permission, group, node }) => (
        <li key={`${permission.id} ${group?.id} ${node?.id}`}>
          <PageLink to={PERMISSION.detail(permission.id)}>{permission.name}</PageLink>
          {group && (
            <>
              {` · ${t(words.throughGroup)} `}
              <PageLink to={GROUP.detail(group.id)}>{group.name}</PageLink>
            </>
          )}
          {node && (
            <>
              {` · ${t(words.throughNode)} `}
              <PageLink to={NODE_FILTER} search={{ node: node.id }}>
                {node.name}
              </PageLink>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The system users of an access. */
export function AccessAccounts({ accounts }: { readonly accounts: readonly AccessAccount[] }) {
  if (accounts.length === 0) return t(words.noAccount);
  return accounts.map(({ name }) => name).join(', ');
}
