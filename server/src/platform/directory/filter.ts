/** Placeholder of the username in a filter. */
export const USER_PLACE = '%(user)s';

const SPECIAL = /[\\*()\0]/g;

/** Escapes the special characters of a filter value (RFC 4515 §3). */
export function escapeFilterValue(value: string): string {
  return value.replace(
    SPECIAL,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** Returns the filter for one username. */
export function filterOf(template: string, username: string): string {
  // A function, because `replaceAll` would interpret `$&` in a name.
  return template.replaceAll(USER_PLACE, () => escapeFilterValue(username));
}

/** Returns the filter that matches every person. */
export function filterOfAll(template: string): string {
  return template.replaceAll(USER_PLACE, () => '*');
}
