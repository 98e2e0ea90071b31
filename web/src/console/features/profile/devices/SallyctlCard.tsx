import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../../../kit/i18n/index.ts';
import { IconDownload } from '../../../../kit/icons.ts';
import { CopyCard } from '../CopyCard.tsx';
import { words } from './words.ts';

const PROGRAM = '/download/sallyctl.mjs';

/** Reads the checksum of the program; empty if the server has none. */
async function readDigest(signal: AbortSignal): Promise<string> {
  const response = await fetch(`${PROGRAM}.sha256`, { signal });
  return response.ok ? ((await response.text()).split(' ')[0] ?? '') : '';
}

/** The program for terminals: its download and first command. */
export function SallyctlCard() {
  const { data: digest } = useQuery({
    queryKey: ['sallyctl'],
    queryFn: ({ signal }) => readDigest(signal),
  });
  return (
    <CopyCard
      title="sallyctl"
      hint={t(words.sallyctlHint)}
      text={`node sallyctl.mjs login ${window.location.origin}`}
    >
      <Button
        component="a"
        href={PROGRAM}
        download
        ml="xs"
        leftSection={<IconDownload size={16} />}
        aria-label={`${t(words.download)}: sallyctl`}
      >
        {t(words.download)}
      </Button>
      {digest && (
        <Text fz="xs" c="dimmed" mt="sm" style={{ overflowWrap: 'anywhere' }}>
          {t(words.digest, { digest })}
        </Text>
      )}
    </CopyCard>
  );
}
