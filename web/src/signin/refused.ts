import { ERRORS, type LocalText } from '@sallyport/contract';

/**
 * The reason for a failed provider sign-in, by the code in the address. Returns undefined for
 * unknown codes, so that links cannot inject text.
 */
export function refusedText(search: string): LocalText | undefined {
  const code = new URLSearchParams(search).get('refused');
  const text: LocalText | undefined =
    code && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS] : undefined;
  return text?.en.includes('{') ? undefined : text;
}
