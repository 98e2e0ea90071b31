import { Button, Text, Textarea } from '@mantine/core';
import type { ClipboardRights } from '@sallyport/contract';
import { useState } from 'react';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { words as windowWords } from '../words.ts';
import type { DesktopTab } from './desktop-tab.ts';
import { ToolbarPanel } from './ToolbarPanel.tsx';
import { words } from './words.ts';

interface Props {
  readonly desktop: DesktopTab;
  readonly rights: ClipboardRights;
  readonly copied: string | null;
}

/** Copies texts between desktop and computer, in the directions that the permission allows. */
export function ClipboardPanel({ desktop, rights, copied }: Props) {
  const [text, setText] = useState('');
  const isOff = !rights.copy && !rights.paste;
  const take = async () => {
    if (await copyText(copied ?? '')) toast.success(t(windowWords.copied));
    else toast.error(t(windowWords.copyFailed));
  };
  const give = () => {
    desktop.paste(text);
    setText('');
    toast.success(t(words.sent));
  };
  return (
    <ToolbarPanel label={t(words.clipboard)}>
      {isOff ? <Text size="sm">{t(words.clipboardOff)}</Text> : null}
      {rights.copy ? (
        <>
          {copied === null ? (
            <Text size="sm">{t(words.nothingCopied)}</Text>
          ) : (
            <Textarea label={t(words.copied)} value={copied} readOnly rows={4} spellCheck={false} />
          )}
          <Button
            size="compact-sm"
            variant="default"
            disabled={copied === null}
            onClick={() => void take()}
          >
            {t(words.copy)}
          </Button>
        </>
      ) : null}
      {rights.paste ? (
        <>
          <Textarea
            label={t(words.toPaste)}
            value={text}
            rows={4}
            spellCheck={false}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button size="compact-sm" disabled={text === ''} onClick={give}>
            {t(words.send)}
          </Button>
        </>
      ) : null}
    </ToolbarPanel>
  );
}
