import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconDownload } from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { words } from './words.ts';

const EvidenceDialog = lazyComponent(() =>
  import('./EvidenceDialog.tsx').then((module) => module.EvidenceDialog),
);

/** Exports the evidence of a period. */
export function EvidenceButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        onClick={() => setOpen(true)}
      >
        {t(words.exportEvidence)}
      </Button>
      {isOpen && <EvidenceDialog onClose={() => setOpen(false)} />}
    </>
  );
}
