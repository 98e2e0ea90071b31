import { Button, Group } from '@mantine/core';
import { type Row, replayStorage } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { ATTENTION_KEY } from '../../base/useAttention.ts';
import { objectUrl } from '../../resource/source.ts';
import { words } from './words.ts';

/** Chooses the disks for all servers. */
async function keepOnDisks(): Promise<void> {
  const query = { type: 'server' };
  const rows = await api.get<readonly Row<typeof replayStorage>[]>(`${replayStorage.path}/`, {
    query,
  });
  const [disks] = rows;
  if (disks) await api.patch(objectUrl(replayStorage, disks.id), { is_for_all: true });
}

/** Asks where several servers keep their recordings. The answer is stored once for all of them. */
export function RecordingPlace() {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  async function keep() {
    setBusy(true);
    try {
      await keepOnDisks();
      toast.success(t(words.usedForAll));
      await client.invalidateQueries({ queryKey: ATTENTION_KEY });
    } finally {
      setBusy(false);
    }
  }
  return (
    <Group gap="lg">
      <PageLink
        to={pagesOf(replayStorage.name).create}
        search={{ type: 's3', is_for_all: 'true' }}
        fw={600}
      >
        {t(words.chooseBucket)}
      </PageLink>
      <Button variant="light" loading={isBusy} onClick={() => void keep().catch(() => undefined)}>
        {t(words.keepOnDisks)}
      </Button>
    </Group>
  );
}
