import { Button } from '@mantine/core';
import { IconExternalLink } from '../kit/icons.ts';

const PATH = '/core/auth/openid/login/';

/** The way to a provider that answers for people. */
export function ProviderButton({ label, next }: { readonly label: string; readonly next: string | undefined }) {
  const href = next ? `${PATH}?next=${encodeURIComponent(next)}` : PATH;
  return (
    <Button component="a" href={href} variant="default" size="md" fullWidth leftSection={<IconExternalLink size={18} />}>
      {label}
    </Button>
  );
}
