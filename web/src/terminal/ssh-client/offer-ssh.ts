import type { offerSshClient } from './offer-ssh-client.tsx';

/** Shows how SSH clients reach an asset. The code for it is loaded when somebody asks. */
export async function offerSsh(...what: Parameters<typeof offerSshClient>): Promise<void> {
  const { offerSshClient: offer } = await import('./offer-ssh-client.tsx');
  await offer(...what);
}
