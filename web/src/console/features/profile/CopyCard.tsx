import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { copyText } from '../../../kit/clipboard.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { IconCopy } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { words } from './words.ts';

/** A text for a file or a command line, with a copy button. */
export function CopyCard({
  title,
  hint,
  text,
  children,
}: {
  readonly title: string;
  readonly hint: string;
  readonly text: string;
  readonly children?: ReactNode;
}) {
  async function copy() {
    if (await copyText(text)) toast.success(t(words.copied));
    else toast.error(t(words.notCopied));
  }
  return (
    <Card title={title}>
      <div className={styles.sole}>
        <Text fz="sm" c="dimmed" mb="xs">
          {hint}
        </Text>
        <pre className={`mono ${styles.code}`}>{text}</pre>
        <Button
          variant="default"
          leftSection={<IconCopy size={16} />}
          onClick={() => void copy()}
          aria-label={`${t(words.copy)}: ${title}`}
        >
          {t(words.copy)}
        </Button>
        {children}
      </div>
    </Card>
  );
}
