/** The place of the name in a filter template. */
export const USER_PLACE = '%(user)s';

const SPECIAL = /[\\*()\0]/g;

/** Writes a value so that nothing in it is read as a filter (RFC 4515 §3). */
export function escapeFilterValue(value: string): string {
  return value.replace(
    SPECIAL,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** The filter that finds one person by the name typed. */
export function filterOf(template: string, username: string): string {
  // A function, because `$&` in a name would mean something to `replaceAll`.
  return template.replaceAll(USER_PLACE, () => escapeFilterValue(username));
}

/** The filter that matches every person. */
export function filterOfAll(template: string): string {
  return template.replaceAll(USER_PLACE, () => '*');
}
