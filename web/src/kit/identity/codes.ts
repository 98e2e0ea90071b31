/** The digits of a code as somebody types or pastes it, `123 456` and wide digits included; at most six. */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replaceAll(/\D/g, '').slice(0, 6);
}
