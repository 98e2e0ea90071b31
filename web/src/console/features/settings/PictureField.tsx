import { Button, FileButton, Group, Text } from '@mantine/core';
import { type LocalText, say } from '@sallyport/contract';
import { useEffect, useId, useState } from 'react';
import { language, t } from '../../../kit/i18n/index.ts';
import styles from './Interface.module.css';
import { words } from './words.ts';

/** A chosen file; `null` for the default picture; undefined to keep the current one. */
export type PictureChange = File | null | undefined;

interface PictureFieldProps {
  readonly label: LocalText;
  readonly size: string;
  readonly icons?: boolean;
  /** The current picture; undefined for the default. */
  readonly present: string | undefined;
  readonly change: PictureChange;
  readonly error: string | undefined;
  readonly onChange: (change: PictureChange) => void;
}

/** The object URL of a file that is not uploaded yet. */
function useAddress(file: PictureChange): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!file) return setAddress(undefined);
    const objectUrl = URL.createObjectURL(file);
    setAddress(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [file]);
  return address;
}

/** One picture of the pages: preview, recommended size, upload, and reset to the default. */
export function PictureField({
  label,
  size,
  icons = false,
  present,
  change,
  error,
  onChange,
}: PictureFieldProps) {
  const chosen = useAddress(change);
  const preview = change === null ? undefined : (chosen ?? present);
  const id = useId();
  const name = say(label, language);
  return (
    <fieldset
      className={styles.picture}
      style={{ border: 0, margin: 0, padding: 0 }}
      aria-describedby={id}
    >
      <div className={styles.preview}>
        {preview ? (
          <img src={preview} alt={name} />
        ) : (
          <Text fz="sm" c="#0b1220">
            {t(words.productOwn)}
          </Text>
        )}
      </div>
      <div>
        <Text fw={500}>{name}</Text>
        <Text c="dimmed" fz="sm" id={id}>
          {t(words.sizeHint, { size, kinds: icons ? 'PNG, SVG, ICO' : 'PNG, SVG' })}
        </Text>
        <Group gap="xs" mt={8}>
          <FileButton
            accept={`image/png,image/svg+xml${icons ? ',.ico' : ''}`}
            onChange={(file) => file && onChange(file)}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                size="compact-sm"
                aria-label={`${t(words.chooseFile)}: ${name}`}
              >
                {t(words.chooseFile)}
              </Button>
            )}
          </FileButton>
          {preview && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              aria-label={t(words.backToOwn, { name })}
              onClick={() => onChange(present ? null : undefined)}
            >
              {t(words.restore)}
            </Button>
          )}
          {change instanceof File && <Text fz="sm">{change.name}</Text>}
        </Group>
        {error && (
          <Text c="red" fz="sm" mt={4} role="alert">
            {error}
          </Text>
        )}
      </div>
    </fieldset>
  );
}
