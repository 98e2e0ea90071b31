import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { toast } from '../dialogs/toast.tsx';
import { t } from '../i18n/index.ts';
import { IconCheck, IconCopy } from '../icons.ts';
import { words } from './words.ts';

const SHOWN_MILLISECONDS = 2_000;

/** A button that copies a value shown only once. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [done]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
    } catch {
      // Fails on a page without HTTPS, or if the user denies access.
      toast.error(t(words.copyFailed));
    }
  }
  return (
    <Button
      size="xs"
      variant="default"
      flex="none"
      leftSection={done ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => void copy()}
      {...(label && { 'aria-label': `${t(words.copy)}: ${label}` })}
    >
      <span aria-live="polite">{t(done ? words.copied : words.copy)}</span>
    </Button>
  );
}
