import '../../../kit/styles-more.css';
import { Group, Progress, Text } from '@mantine/core';
import type { BatchProgress } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { formatNumber } from '../../../kit/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { percentOf } from './percent.ts';
import type { ImportStage } from './useImport.ts';
import { words } from './words.ts';

const EVERY_MILLISECONDS = 300;

/** How far the reading, the check or the import of a file has come: rows, and a percentage as soon as the server has begun to count. */
export function ImportProgress({ stage }: { readonly stage: ImportStage }) {
  const name = stage.name === 'checking' || stage.name === 'writing' ? stage.progress : '';
  const { data } = useQuery({
    queryKey: ['import-progress', name],
    queryFn: ({ signal }) => api.get<BatchProgress>('common/progress/', { query: { name }, signal, quiet: true }),
    enabled: name !== '',
    refetchInterval: EVERY_MILLISECONDS,
    gcTime: 0,
  });
  if (stage.name !== 'reading' && stage.name !== 'checking' && stage.name !== 'writing') return null;
  const text =
    stage.name === 'reading'
      ? t(words.reading, { name: stage.file.name })
      : t(stage.name === 'checking' ? words.checking : words.writing, { count: formatNumber(stage.rows) });
  const percent = percentOf(data);
  return (
    <div>
      <Group justify="space-between" mb={6} wrap="nowrap">
        <Text fz="sm" role="status">
          {text}
        </Text>
        {percent !== undefined && (
          <Text fz="sm" className="mono">
            {percent} %
          </Text>
        )}
      </Group>
      <Progress.Root size="md">
        <Progress.Section value={percent ?? 100} striped={percent === undefined} animated={percent === undefined} aria-label={text} />
      </Progress.Root>
    </div>
  );
}
