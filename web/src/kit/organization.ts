import { ROLE_COOKIE_DAYS } from '@sallyport/contract';
import { COOKIES, deleteCookie, readCookie, writeCookie } from './cookies.ts';

export interface Organization {
  readonly id: string;
  readonly name: string;
}

/** Returns the organization of this browser from its cookie. */
export function rememberedOrganization(): Organization | undefined {
  try {
    const value: unknown = JSON.parse(readCookie(COOKIES.organization) ?? '');
    if (typeof value !== 'object' || value === null) return undefined;
    const { id, name } = value as Partial<Organization>;
    return typeof id === 'string' && typeof name === 'string' ? { id, name } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores the organization in both cookies: the server reads the second one for plain links
 * (downloads), which carry no header.
 */
export function rememberOrganization({ id, name }: Organization): void {
  writeCookie(COOKIES.organization, JSON.stringify({ id, name }), { days: ROLE_COOKIE_DAYS });
  if (id) writeCookie(COOKIES.organizationHeader, id);
  else deleteCookie(COOKIES.organizationHeader);
}
