interface CookieOptions {
  /** Absent: the cookie ends with the browser session. */
  readonly days?: number;
}

/** Reads a cookie of this page; an empty one counts as absent. */
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

/** Writes a cookie for the whole site. None of ours holds a secret: the session cookie is the server's and out of reach here. */
export function writeCookie(name: string, value: string, { days }: CookieOptions = {}): void {
  const age = days === undefined ? '' : `; max-age=${days * 86_400}`;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; samesite=lax${age}${secure}`;
}

/** Deletes a cookie of this site. */
export function deleteCookie(name: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `${name}=; path=/; max-age=0; samesite=lax`;
}

/** The names of the cookies that the specification names. */
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
