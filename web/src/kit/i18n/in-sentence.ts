/** Lowercases a title for use within a sentence; abbreviations keep their capitals. */
export const inSentence = (title: string) =>
  /^\p{Lu}\p{Lu}/u.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
