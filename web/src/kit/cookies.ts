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
