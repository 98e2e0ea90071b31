/**
 * Extracts the digits of a typed or pasted code, including `123 456` and full-width digits; at most
 * six.
 */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replaceAll(/\D/g, '').slice(0, 6);
}
