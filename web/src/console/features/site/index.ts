export { SiteAlert, SiteNotice } from './SiteNotice.tsx';
export { siteElsewhere } from './site.ts';
export { words as siteWords } from './words.ts';
