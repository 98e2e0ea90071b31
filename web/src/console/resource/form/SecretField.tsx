import { Box, Button, FileButton, Textarea } from '@mantine/core';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { asSentences } from './sentences.ts';
import type { WidgetProps } from './spec.ts';
import { words } from './words.ts';

const MAX_BYTES = 65_536;

/**
 * A long secret, such as a key: pasted, or read from a file in the browser. The server never
 * returns the stored secret.
 */
export function SecretField({
  label,
  help,
  required,
  disabled,
  error,
  value,
  onChange,
  onBlur,
  updating,
}: WidgetProps) {
  async function read(file: File | null) {
    if (!file) return;
    if (file.size > MAX_BYTES) toast.error(t(words.fileTooLarge));
    else onChange(await file.text());
  }
  return (
    <Box pos="relative">
      <Textarea
        label={label}
        description={asSentences(help, updating ? t(words.keep) : '')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        withAsterisk={required}
        disabled={disabled}
        error={error}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={String(value ?? '')}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
      />
      <FileButton onChange={(file) => void read(file)} disabled={disabled}>
        {(props) => (
          <Button
            {...props}
            variant="subtle"
            size="compact-xs"
            // At the end of the line of the label.
            pos="absolute"
            top={-2}
            right={0}
            disabled={disabled}
            aria-label={`${label}: ${t(words.loadFile)}`}
          >
            {t(words.loadFile)}
          </Button>
        )}
      </FileButton>
    </Box>
  );
}
