import { Anchor } from '@mantine/core';
import { say } from '@sallyport/contract';
import { chooseLanguage, LANGUAGE_TAGS, otherBrowserLanguage } from '../kit/i18n/index.ts';
import { words } from './words.ts';

/** Offers the page in the language of the browser, in that language, to people who chose none. */
export function BrowserLanguage() {
  const other = otherBrowserLanguage();
  if (!other) return null;
  return (
    <Anchor
      component="button"
      type="button"
      lang={LANGUAGE_TAGS[other]}
      mb="lg"
      onClick={() => chooseLanguage(other)}
    >
      {say(words.readHere, other)}
    </Anchor>
  );
}
