import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { saveText } from '../download.ts';
import { t } from '../i18n/index.ts';
import { IconDownload } from '../icons.ts';
import { CopyButton } from './CopyButton.tsx';
import styles from './Identity.module.css';
import { words } from './words.ts';

/** Shows the recovery codes once; the user must copy or save them before continuing. */
export function RecoveryCodes({
  codes,
  onward,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onward: string;
  readonly onDone: () => void;
}) {
  const [kept, setKept] = useState(false);
  const text = `${t(words.recoveryFor, { host: location.host })}\n\n${codes.join('\n')}\n`;
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(words.recoveryHint)}
      </Text>
      <ul className={styles.codes} aria-label={t(words.recoveryCodes)}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton text={text} label={t(words.recoveryCodes)} />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => saveText('sallyport-recovery-codes.txt', text)}
        >
          {t(words.download)}
        </Button>
      </Group>
      <Checkbox
        label={t(words.kept)}
        checked={kept}
        onChange={(event) => setKept(event.currentTarget.checked)}
      />
      <Button fullWidth disabled={!kept} onClick={onDone}>
        {onward}
      </Button>
    </Stack>
  );
}
