import type { LocalText } from '@sallyport/contract';

/** Where the operator guides speak of licenses: the anchors of that chapter. */
export const LICENSE_CHAPTER: LocalText = { en: 'license-and-branding', zh: '许可证与界面' };
