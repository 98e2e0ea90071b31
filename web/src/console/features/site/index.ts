export { SiteAlert, SiteNotice } from './SiteNotice.tsx';
export { isLoopback, siteElsewhere } from './site.ts';
export { words as siteWords } from './words.ts';
