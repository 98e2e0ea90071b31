import { Button } from '@mantine/core';
import { IconExternalLink } from '../kit/icons.ts';

interface ProviderButtonProps {
  /** The kind of provider, as the settings write it. */
  readonly kind: string;
  readonly label: string;
  readonly next: string | undefined;
}

/** The way to a provider that answers for people. */
export function ProviderButton({ kind, label, next }: ProviderButtonProps) {
  const href = `/core/auth/${kind.toLowerCase()}/login/${next ? `?next=${encodeURIComponent(next)}` : ''}`;
  return (
    <Button
      component="a"
      href={href}
      variant="default"
      size="md"
      fullWidth
      leftSection={<IconExternalLink size={18} />}
    >
      {label}
    </Button>
  );
}
