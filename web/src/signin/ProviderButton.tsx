import { Button } from '@mantine/core';
import { IconExternalLink } from '../kit/icons.ts';

interface ProviderButtonProps {
  /** The kind of provider as named in the settings. */
  readonly kind: string;
  readonly label: string;
  readonly next: string | undefined;
}

/** Starts a sign-in at an identity provider. */
export function ProviderButton({ kind, label, next }: ProviderButtonProps) {
  const query = next ? `?next=${encodeURIComponent(next)}` : '';
  const href = `/core/auth/${kind.toLowerCase()}/login/${query}`;
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
