import { Text } from '@mantine/core';
import styles from './SignInNotice.module.css';

/** A text before sign-in. Plain text with its line breaks; a long one scrolls. */
export function SignInNotice({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a text that scrolls
    <section aria-label={label} className={styles.notice} tabIndex={0}>
      <Text fz="sm">{text}</Text>
    </section>
  );
}
