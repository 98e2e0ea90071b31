export { common } from './common.ts';
export {
  catalogue,
  chooseLanguage,
  LANGUAGE_NAMES,
  LANGUAGE_TAG,
  language,
  startLanguage,
  t,
} from './language.ts';
