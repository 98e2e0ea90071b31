import type { PublicSettings } from '@sallyport/contract';

const PRODUCT = 'Sallyport';
/** Where pictures lie that somebody put in place of the product's own. */
const PICTURES = '/static/interface/';

/** How this installation wants to look; undefined pictures are the product's own. */
export interface Brand {
  readonly title: string;
  readonly indexLogo: string | undefined;
  readonly logoutLogo: string | undefined;
  readonly loginImage: string | undefined;
}

let title = PRODUCT;

/** What the installation is called, in the titles of pages. */
export const productTitle = (): string => title;

/** Names the page in the browser's own tab. */
export function setDocumentTitle(page: string | undefined): void {
  document.title = page ? `${page} · ${title}` : title;
}

/** The address of a picture that was put in place of the product's own; undefined when none was. Only pictures of our own site are ever loaded. */
export function ownPicture(address: string): string | undefined {
  return address.startsWith(PICTURES) ? address : undefined;
}

/** The look of an installation by its public settings. */
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

/** Gives the browser's own tab the name and the icon of the installation. */
export function showBrand(settings: Pick<PublicSettings, 'LOGO_URLS' | 'LOGIN_TITLE'>): void {
  const before = title;
  title = settings.LOGIN_TITLE || PRODUCT;
  if (document.title === before) document.title = title;
  else if (document.title.endsWith(`· ${before}`))
    document.title = `${document.title.slice(0, -before.length)}${title}`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const own = ownPicture(settings.LOGO_URLS.favicon);
  if (!icon || !own) return;
  // The type of the product's own icon need not be that of another.
  icon.removeAttribute('type');
  icon.href = own;
}
