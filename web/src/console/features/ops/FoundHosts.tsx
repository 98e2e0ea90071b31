import { Checkbox, Text } from '@mantine/core';
import type { TreeNode } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import styles from './Batch.module.css';
import { GrantedHost } from './GrantedHost.tsx';
import { hasSsh } from './has-ssh.ts';
import type { HostSelection } from './useHostSelection.ts';
import { words } from './words.ts';

interface FoundHostsProps {
  readonly text: string;
  readonly selection: HostSelection;
}

/** The granted assets that a search finds, with one box that selects all of them. */
export function FoundHosts({ text, selection }: FoundHostsProps) {
  const { data, isPending } = useQuery({
    queryKey: ['granted-found', text],
    queryFn: () =>
      api.get<readonly TreeNode[]>('perms/users/assets/tree/', { query: { search: text } }),
  });
  const leaves = data?.filter(({ meta }) => meta.type === 'asset') ?? [];
  if (leaves.length === 0)
    return (
      <Text size="sm" c="dimmed" p="xs" role="status">
        {t(isPending ? common.loading : words.nothingFound)}
      </Text>
    );
  const able = leaves.flatMap(({ meta }) =>
    meta.type === 'asset' && hasSsh(meta.asset.protocols) ? [meta.asset] : [],
  );
  const chosen = able.filter(({ id }) => selection.hosts.has(id)).length;
  return (
    <>
      {able.length > 1 && (
        <Checkbox
          size="xs"
          className={styles.all}
          label={t(words.selectFound, { count: able.length })}
          checked={chosen === able.length}
          indeterminate={chosen > 0 && chosen < able.length}
          onChange={(event) => selection.change(able, event.currentTarget.checked)}
        />
      )}
      <ul className={styles.level}>
        {leaves.map((node) => (
          <GrantedHost key={node.id} node={node} selection={selection} />
        ))}
      </ul>
    </>
  );
}
