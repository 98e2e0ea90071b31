import { Button, Menu, Tooltip } from '@mantine/core';
import { useRef } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { IconFolders, IconUpload } from '../icons.ts';
import { type LocalFiles, readChosen } from './dropped-files.ts';
import { words } from './words.ts';

interface Props {
  readonly mayUpload: boolean;
  readonly onUpload: (files: LocalFiles) => void;
}

/** Uploads files or a folder that the user chooses on the computer. */
export function UploadMenu({ mayUpload, onUpload }: Props) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    if (input.files && input.files.length > 0) onUpload(readChosen(input.files));
    // Reset: the user may choose the same file again.
    input.value = '';
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Tooltip label={mayUpload ? undefined : t(words.noUpload)} disabled={mayUpload}>
            <Button
              size="xs"
              flex="none"
              leftSection={<IconUpload size={15} />}
              aria-disabled={!mayUpload}
              {...(mayUpload ? {} : { 'data-disabled': true })}
            >
              {t(words.upload)}
            </Button>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconUpload size={15} />}
            disabled={!mayUpload}
            onClick={() => files.current?.click()}
          >
            {t(words.uploadFiles)}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconFolders size={15} />}
            disabled={!mayUpload}
            onClick={() => folder.current?.click()}
          >
            {t(words.uploadFolder)}
          </Menu.Item>
          {mayUpload ? null : <Menu.Label>{t(words.noUpload)}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t(words.uploadFiles)}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={(element) => {
          folder.current = element;
          // React has no type for this attribute.
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        aria-label={t(words.uploadFolder)}
        onChange={(event) => take(event.currentTarget)}
      />
    </>
  );
}
