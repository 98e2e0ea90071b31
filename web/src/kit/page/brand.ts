import type { PublicSettings } from '@sallyport/contract';

const PRODUCT = 'Sallyport';
/** Path of uploaded pictures that replace the defaults. */
const PICTURES = '/static/interface/';

/** The look of this installation; undefined pictures are the defaults. */
export interface Brand {
  readonly title: string;
  readonly indexLogo: string | undefined;
  readonly logoutLogo: string | undefined;
  readonly loginImage: string | undefined;
}

let title = PRODUCT;

/** Returns the name of the installation for page titles. */
export const productTitle = (): string => title;

/** Sets the title of the browser tab. */
export function setDocumentTitle(page: string | undefined): void {
  document.title = page ? `${page} · ${title}` : title;
}

/**
 * Returns the address of an uploaded picture, or undefined for the default one. Only pictures of
 * this site are loaded.
 */
export function ownPicture(address: string): string | undefined {
  return address.startsWith(PICTURES) ? address : undefined;
}

/** Derives the look of an installation from its public settings. */
export function brandOf({
  LOGO_URLS,
  LOGIN_TITLE,
}: Pick<PublicSettings, 'LOGO_URLS' | 'LOGIN_TITLE'>): Brand {
  return {
    title: LOGIN_TITLE || PRODUCT,
    indexLogo: ownPicture(LOGO_URLS.logo_index),
    logoutLogo: ownPicture(LOGO_URLS.logo_logout),
    loginImage: ownPicture(LOGO_URLS.login_image),
  };
}

/** Sets the title and the icon of the browser tab. */
export function showBrand(settings: Pick<PublicSettings, 'LOGO_URLS' | 'LOGIN_TITLE'>): void {
  const before = title;
  title = settings.LOGIN_TITLE || PRODUCT;
  if (document.title === before) document.title = title;
  else if (document.title.endsWith(`· ${before}`))
    document.title = `${document.title.slice(0, -before.length)}${title}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const own = ownPicture(settings.LOGO_URLS.favicon);
  if (!icon || !own) return;
  // An uploaded icon may have another type than the default one.
  icon.removeAttribute('type');
  icon.href = own;
}
