import { MantineProvider, Modal } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { leaveEscapeToInputMethods } from './composing.ts';

it('keeps a dialog open at the Escape that discards the text of an input method', async () => {
  const page = new AbortController();
  leaveEscapeToInputMethods(window, page.signal);
  const close = vi.fn();
  render(
    <MantineProvider>
      <Modal opened onClose={close} title="a form">
        <input aria-label="name" />
      </Modal>
    </MantineProvider>,
  );
  const field = await screen.findByLabelText('name');
  // Safari, after the end of the composition; Chromium on macOS; Chromium elsewhere.
  fireEvent.keyDown(field, { key: 'Escape', keyCode: 229 });
  fireEvent.keyDown(field, { key: 'Escape', keyCode: 229, isComposing: true });
  fireEvent.keyDown(field, { key: 'Process', keyCode: 229, isComposing: true });
  expect(close).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: 'Escape', keyCode: 27 });
  expect(close).toHaveBeenCalledOnce();
  page.abort();
});
