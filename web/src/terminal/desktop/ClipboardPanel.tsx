import { Button, Popover, Text, Textarea } from '@mantine/core';
import type { ClipboardRights } from '@sallyport/contract';
import { useState } from 'react';
import { copyText } from '../../kit/clipboard.ts';
import { t } from '../../kit/i18n/index.ts';
import { toast } from '../../kit/toast.tsx';
import { words as windowWords } from '../words.ts';
import styles from './Desktop.module.css';
import type { DesktopTab } from './desktop-tab.ts';
import { words } from './words.ts';

interface Props {
  readonly desktop: DesktopTab;
  readonly rights: ClipboardRights;
  readonly copied: string | null;
}

/** Texts between the desktop and this computer, each direction where the permission has it. */
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
    <Popover position="bottom-start" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" size="compact-sm">
          {t(words.clipboard)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.panel}>
          {isOff ? <Text size="sm">{t(words.clipboardOff)}</Text> : null}
          {rights.copy ? (
            <>
              {copied === null ? (
                <Text size="sm">{t(words.nothingCopied)}</Text>
              ) : (
                <Textarea label={t(words.copied)} value={copied} readOnly rows={4} spellCheck={false} />
              )}
              <Button size="compact-sm" variant="default" disabled={copied === null} onClick={() => void take()}>
                {t(words.copy)}
              </Button>
            </>
          ) : null}
          {rights.paste ? (
            <>
              <Textarea label={t(words.toPaste)} value={text} rows={4} spellCheck={false} onChange={(event) => setText(event.currentTarget.value)} />
              <Button size="compact-sm" disabled={text === ''} onClick={give}>
                {t(words.send)}
              </Button>
            </>
          ) : null}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
