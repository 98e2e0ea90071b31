import { Text } from '@mantine/core';
import type { AccessAccount, AccessPath } from '@sallyport/contract';
import { Fragment } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import styles from './Access.module.css';
import { words } from './words.ts';

/** Lists the permissions that give a user access, each with the group and node that lead there. */
export function AccessReasons({
  paths,
  rule = 'asset_permission',
}: {
  readonly paths: readonly AccessPath[];
  readonly rule?: string;
}) {
  return (
    <ul className={styles.reasons}>
      {paths.map(({ permission, group, node, condition, ...terms }) => (
        <li key={`${permission.id} ${group?.id} ${node?.id}`}>
          <ObjectLink resource={rule} id={permission.id}>
            {permission.name}
          </ObjectLink>
          {group && (
            <>
              {` · ${t(words.throughGroup)} `}
              <ObjectLink resource="user_group" id={group.id}>
                {group.name}
              </ObjectLink>
            </>
          )}
          {node && (
            <>
              {` · ${t(words.throughNode)} `}
              <ObjectLink resource="node" id={node.id}>
                {node.name}
              </ObjectLink>
            </>
          )}
          {condition && ` · ${t(words.onlyIf, { condition: condition.sentence })}`}
          {condition?.not_now && (
            <Text span fz="inherit" c="var(--mantine-color-orange-text)">
              {` · ${condition.not_now}`}
            </Text>
          )}
          {terms.needs_approval && ` · ${t(words.needsApproval)}`}
          {terms.needs_watcher && ` · ${t(words.needsWatcher)}`}
        </li>
      ))}
    </ul>
  );
}

/** Lists the system users of an access. */
export function AccessAccounts({ accounts }: { readonly accounts: readonly AccessAccount[] }) {
  if (accounts.length === 0) return t(words.noAccount);
  return accounts.map(({ id, name }, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <ObjectLink resource="system_user" id={id}>
        {name}
      </ObjectLink>
    </Fragment>
  ));
}
