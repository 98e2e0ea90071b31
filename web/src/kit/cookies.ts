import { ROLE_COOKIE_DAYS } from '@sallyport/contract';

interface CookieOptions {
  /** Lifetime in days; undefined for a session cookie. */
  readonly days?: number;
}

/** Reads a cookie; an empty one counts as absent. */
export function readCookie(name: string): string | undefined {
  for (const part of document.cookie.split('; ')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at) === name) {
      try {
        return decodeURIComponent(part.slice(at + 1)) || undefined;
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

/**
 * Writes a cookie for the whole site. Never store a secret: the session cookie is HTTP-only and set
 * by the server.
 */
export function writeCookie(name: string, value: string, { days }: CookieOptions = {}): void {
  const age = days === undefined ? '' : `; max-age=${days * 86_400}`;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; samesite=lax${age}${secure}`;
}

export function deleteCookie(name: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `${name}=; path=/; max-age=0; samesite=lax`;
}

/** Cookie names given by the specification. */
export const COOKIES = {
  csrf: 'csrftoken',
  organization: 'jms_current_org',
  organizationHeader: 'X-JMS-ORG',
  role: 'jms_current_role',
  sidebar: 'sidebarStatus',
  language: 'django_language',
  activeTab: 'activeTab',
  showCurrentAsset: 'show_current_asset',
} as const;

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
