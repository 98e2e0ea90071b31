import { Button, Group, Loader, Modal, Stack } from '@mantine/core';
import { node as nodeResource, type Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import { referenceTo } from '../../resource/references.ts';
import { cacheKey, objectUrl } from '../../resource/source.ts';
import type { NodeData } from '../node-data.ts';
import { words } from './words.ts';

interface PlaceAssetsProps {
  readonly node: NodeData;
  readonly placement: 'add' | 'replace';
  readonly onPlace: (assets: readonly string[]) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Chooses assets to add to a node or to move there. */
export function PlaceAssetsDialog({ node, placement, onPlace, onClose }: PlaceAssetsProps) {
  const [assets, setAssets] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const reference = referenceTo('asset');
  async function place() {
    setBusy(true);
    try {
      await onPlace(assets);
      onClose();
    } catch {
      // The request layer showed the error; keep the selection for another attempt.
      setBusy(false);
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${t(placement === 'add' ? words.addAssets : words.moveAssets)}: ${node.value}`}
      size="lg"
    >
      <Stack>
        {reference && (
          <RemoteSelect
            reference={reference}
            label={t(words.assets)}
            multiple
            value={assets}
            onChange={setAssets}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.cancel)}
          </Button>
          <Button disabled={assets.length === 0} loading={busy} onClick={() => void place()}>
            {t(placement === 'add' ? words.addCount : words.moveCount, { count: assets.length })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface NodeInfoProps {
  readonly node: NodeData;
  readonly onClose: () => void;
  /** Further facts. */
  readonly children?: ReactNode;
}

export function NodeInfoDialog({ node, onClose, children }: NodeInfoProps) {
  const query = useQuery({
    queryKey: [...cacheKey(nodeResource), 'detail', node.id],
    queryFn: ({ signal }) =>
      api.get<Row<typeof nodeResource>>(objectUrl(nodeResource, node.id), { signal }),
  });
  return (
    <Modal opened onClose={onClose} title={t(words.infoTitle)} size="xl">
      <Stack>
        {query.data ? (
          <DetailCard
            source={nodeResource}
            object={query.data}
            facts={['id', 'value', 'full_value', 'key', 'assets_amount']}
          />
        ) : (
          <Loader />
        )}
        {children}
      </Stack>
    </Modal>
  );
}
