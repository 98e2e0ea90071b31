import type { PublicContext } from '../../http/context.ts';

/** Where the provider sends people back to. */
export const CALLBACK = '/core/auth/openid/callback/';

/** How people reach this server, without a slash at the end. */
export function siteOf({ request }: PublicContext, publicUrl: string | undefined): string {
  return (publicUrl ?? `${request.protocol}://${request.host}`).replace(/\/+$/, '');
}

/** The address that has to be registered at the provider. */
export function redirectOf(context: PublicContext, publicUrl: string | undefined): string {
  return `${siteOf(context, publicUrl)}${CALLBACK}`;
}
