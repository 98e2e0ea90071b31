import { Alert, Button, Group, Text, Textarea } from '@mantine/core';
import { type ClipboardRights, MAX_DESKTOP_TEXT, MAX_TYPED_TEXT } from '@sallyport/contract';
import { useState } from 'react';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { words as windowWords } from '../words.ts';
import type { DesktopTab } from './desktop-tab.ts';
import type { PasteResult } from './picture.ts';
import { ToolbarPanel } from './ToolbarPanel.tsx';
import { words } from './words.ts';

interface Props {
  readonly desktop: DesktopTab;
  readonly rights: ClipboardRights;
  readonly copied: string | null;
}

const PROBLEMS = {
  uncertain: words.uncertainText,
  unsupported: words.unsupportedText,
  tooLong: words.tooLongText,
} as const;

/** The text that the user copied at the desktop. */
function CopiedText({ copied }: { readonly copied: string | null }) {
  const take = async () => {
    if (await copyText(copied ?? '')) toast.success(t(windowWords.copied));
    else toast.error(t(windowWords.copyFailed));
  };
  return (
    <>
      {copied ? (
        <Textarea
          label={t(words.copied)}
          description={copied.includes('?') ? t(words.doubtfulText) : undefined}
          value={copied}
          readOnly
          rows={4}
          spellCheck={false}
        />
      ) : (
        <Text size="sm">{t(words.nothingCopied)}</Text>
      )}
      <Button size="compact-sm" variant="default" disabled={!copied} onClick={() => void take()}>
        {t(words.copy)}
      </Button>
    </>
  );
}

/** A text for the clipboard of the desktop. It stays in the field until it has certainly passed. */
function TextToPaste({ desktop }: { readonly desktop: DesktopTab }) {
  const [text, setText] = useState('');
  const [result, setResult] = useState<PasteResult>('sent');
  const give = () => {
    const now = desktop.paste(text);
    setResult(now);
    if (now !== 'sent') return;
    setText('');
    toast.success(t(words.sent));
  };
  const type = () => {
    desktop.type(text);
    setText('');
    setResult('sent');
  };
  return (
    <>
      <Textarea
        label={t(words.toPaste)}
        value={text}
        rows={4}
        spellCheck={false}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setResult('sent');
        }}
      />
      {result === 'sent' ? null : (
        <Alert color="yellow" variant="light" role="alert" p="xs">
          {t(PROBLEMS[result], { max: MAX_DESKTOP_TEXT })}
        </Alert>
      )}
      <Group gap="xs">
        <Button size="compact-sm" disabled={text === ''} onClick={give}>
          {t(words.send)}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={text === '' || text.length > MAX_TYPED_TEXT}
          onClick={type}
        >
          {t(words.typeText)}
        </Button>
      </Group>
    </>
  );
}

/** Copies texts between desktop and computer, in the directions that the permission allows. */
export function ClipboardPanel({ desktop, rights, copied }: Props) {
  const isOff = !rights.copy && !rights.paste;
  return (
    <ToolbarPanel label={t(words.clipboard)}>
      {isOff ? <Text size="sm">{t(words.clipboardOff)}</Text> : null}
      {rights.copy ? <CopiedText copied={copied} /> : null}
      {rights.paste ? <TextToPaste desktop={desktop} /> : null}
    </ToolbarPanel>
  );
}
