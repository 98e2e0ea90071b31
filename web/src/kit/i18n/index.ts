export { common } from './common.ts';
export {
  catalogue,
  chooseLanguage,
  LANGUAGE_NAMES,
  language,
  startLanguage,
  t,
} from './language.ts';
