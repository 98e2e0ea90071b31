export { common } from './common.ts';
export {
  catalogue,
  chooseLanguage,
  LANGUAGE_NAMES,
  LANGUAGE_TAG,
  LANGUAGE_TAGS,
  language,
  otherBrowserLanguage,
  startLanguage,
  t,
} from './language.ts';
