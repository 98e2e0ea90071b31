import { ActionIcon, Checkbox, Loader, Text, TextInput } from '@mantine/core';
import type { GrantedAsset, TreeNode } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronRight } from '../../../kit/icons.ts';
import styles from './Batch.module.css';
import { GrantedHost } from './GrantedHost.tsx';
import { hasSsh } from './has-ssh.ts';
import type { Host, HostSelection } from './useHostSelection.ts';
import { words } from './words.ts';

interface FoundHostsProps {
  readonly text: string;
  readonly selection: HostSelection;
}

/** The granted assets that a search finds, with one box that selects all of them. */
function FoundHosts({ text, selection }: FoundHostsProps) {
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

const LEVEL = 'perms/users/nodes/children-with-assets/tree/';

/**
 * Reads one level of the tree: the children of a key, or the roots. The first response includes the
 * next level, which is read again when opened.
 */
function useLevel(key: string | undefined) {
  return useQuery({
    queryKey: ['granted-level', key ?? ''],
    queryFn: async () => {
      const nodes = await api.get<readonly TreeNode[]>(LEVEL, { query: { key } });
      return key === undefined
        ? nodes.filter(({ pId }) => !nodes.some(({ id }) => id === pId))
        : nodes.filter(({ pId, id }) => pId === key && id !== key);
    },
  });
}

function NodeRow({
  node,
  selection,
  isOpenAtFirst,
}: {
  readonly node: TreeNode;
  readonly selection: HostSelection;
  readonly isOpenAtFirst: boolean;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [isReading, setReading] = useState(false);
  const [below, setBelow] = useState<readonly Host[]>([]);
  const client = useQueryClient();
  if (node.meta.type !== 'node') return null;
  const { id, key, value, assets_amount: amount } = node.meta.node;
  const chosen = below.filter((host) => selection.hosts.has(host.id)).length;

  async function choose(isChosen: boolean) {
    setReading(true);
    try {
      const level = await client.fetchQuery({
        queryKey: ['granted-below', id],
        queryFn: () =>
          api.get<readonly GrantedAsset[]>(`perms/users/nodes/${id}/assets/`, {
            query: { all: 1 },
          }),
      });
      const hosts = level
        .filter(({ protocols }) => hasSsh(protocols))
        .map(({ id: asset, hostname, ip }) => ({ id: asset, hostname, ip }));
      setBelow(hosts);
      selection.change(hosts, isChosen);
    } finally {
      setReading(false);
    }
  }
  return (
    <li>
      <div className={styles.node}>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-expanded={isOpen}
          aria-label={t(isOpen ? words.close : words.open, { name: value })}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        </ActionIcon>
        <Checkbox
          size="xs"
          className={styles.box}
          label={
            <>
              {value} <span className={styles.ip}>{amount}</span>
            </>
          }
          disabled={isReading}
          checked={below.length > 0 && chosen === below.length}
          indeterminate={chosen > 0 && chosen < below.length}
          onChange={(event) => void choose(event.currentTarget.checked).catch(() => undefined)}
        />
        {isReading && <Loader size={12} />}
      </div>
      {isOpen && <Level parent={key} selection={selection} />}
    </li>
  );
}

function Level({
  parent,
  selection,
}: {
  readonly parent: string | undefined;
  readonly selection: HostSelection;
}) {
  const { data, isPending } = useLevel(parent);
  if (isPending)
    return (
      <Text size="xs" c="dimmed" pl="md" role="status">
        {t(common.loading)}
      </Text>
    );
  if (parent === undefined && data?.length === 0)
    return (
      <Text size="sm" c="dimmed" p="xs">
        {t(words.emptyTree)}
      </Text>
    );
  return (
    <ul className={styles.level}>
      {data?.map((node) =>
        node.meta.type === 'node' ? (
          <NodeRow
            key={node.id}
            node={node}
            selection={selection}
            isOpenAtFirst={parent === undefined && data.length === 1}
          />
        ) : (
          <GrantedHost key={node.id} node={node} selection={selection} />
        ),
      )}
    </ul>
  );
}

/** Shows the user's granted assets and nodes with checkboxes, and a search by name or address. */
export function GrantedTree({ selection }: { readonly selection: HostSelection }) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  return (
    <>
      <TextInput
        type="search"
        size="xs"
        m={4}
        maxLength={128}
        aria-label={t(words.searchAssets)}
        placeholder={t(words.searchHint)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className={styles.tree} data-hosts>
        <div hidden={search !== ''}>
          <Level parent={undefined} selection={selection} />
        </div>
        {search !== '' && <FoundHosts text={search} selection={selection} />}
      </div>
    </>
  );
}
