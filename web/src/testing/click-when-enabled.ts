import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';

/** Clicks a button once it reacts: a dangerous confirmation pauses before it does. */
export async function clickWhenEnabled(name: string | RegExp): Promise<void> {
  const button = () => screen.getByRole('button', { name });
  await waitFor(() => expect(button().getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(button());
}
