export { catalogue } from './catalogue.ts';
export { common } from './common.ts';
export { chooseLanguage, LANGUAGE_NAMES, language, startLanguage, t } from './language.ts';
