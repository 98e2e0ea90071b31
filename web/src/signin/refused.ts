import { ERRORS, type LocalText } from '@sallyport/contract';

/** Why a provider's answer led back to the sign-in page, by the code in the address; undefined for anything that is no whole sentence of ours. */
export function refusedText(search: string): LocalText | undefined {
  const code = new URLSearchParams(search).get('refused');
  const text: LocalText | undefined =
    code && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS] : undefined;
  return text?.en.includes('{') ? undefined : text;
}
