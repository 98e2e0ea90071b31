import type { offerSshClient } from './offer-ssh-client.tsx';

/** Shows how SSH clients reach an asset. Loads its code on first use. */
export async function offerSsh(...what: Parameters<typeof offerSshClient>): Promise<void> {
  const { offerSshClient: offer } = await import('./offer-ssh-client.tsx');
  await offer(...what);
}
