import type { LocalText } from '@sallyport/contract';

/** Anchors of the license chapter in the operator guides. */
export const LICENSE_CHAPTER: LocalText = { en: 'license-and-branding', zh: '许可证与界面' };
