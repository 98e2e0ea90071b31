import { MantineProvider } from '@mantine/core';
import { FrameReader } from '@sallyport/contract/zmodem/frame-reader.ts';
import {
  CANCEL,
  ENDS,
  encodeData,
  encodeHeader,
  TYPES,
} from '@sallyport/contract/zmodem/frames.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TransferLine } from '../connection/transfer-line.ts';
import { FileTransfer } from './file-transfer.ts';
import { TransferDialog } from './TransferDialog.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const close = vi.fn();
const saved: { name: string; content: Blob }[] = [];
beforeEach(() => {
  close.mockReset();
  saved.length = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    saved.push({ name: '', content: content as Blob });
    return 'blob:file';
  });
});

/** A page with the dialog of a transfer, and the program at the target. */
function open() {
  const reader = new FrameReader();
  const heard: string[] = [];
  const line = new TransferLine(
    {
      send: (message) => void heard.push(JSON.stringify(message)),
      sendBytes: (bytes) => {
        reader.feed(bytes);
        for (let part = reader.next(); part; part = reader.next())
          heard.push(
            part.kind === 'header'
              ? `${nameOf(part.header.type)} ${part.header.value}`
              : part.kind === 'data'
                ? new TextDecoder().decode(part.content)
                : part.kind,
          );
      },
    },
    () => undefined,
  );
  const transfer = new FileTransfer(line);
  render(
    <MantineProvider>
      <TransferDialog transfer={transfer} close={close} />
    </MantineProvider>,
  );
  void transfer.run();
  const says = (...frames: Uint8Array[]) =>
    act(async () => {
      for (const bytes of frames) line.push({ bytes, drawn: () => undefined });
    });
  return { line, heard, says, heardAll: (...all: string[]) => waitForAll(heard, all) };
}

const nameOf = (type: number) =>
  Object.entries(TYPES).find(([, value]) => value === type)?.[0] ?? String(type);
const waitForAll = (heard: string[], all: string[]) => waitFor(() => expect(heard).toEqual(all));
const header = (type: number, value = 0) => encodeHeader({ format: 'binary32', type, value });
const file = (name: string, facts: string) => [
  header(TYPES.file),
  encodeData(new TextEncoder().encode(`${name}\0${facts}\0`), ENDS.frameAnswer, true),
];
const content = (text: string, at = 0) => [
  header(TYPES.data, at),
  encodeData(new TextEncoder().encode(text), ENDS.frameAnswer, true),
];
const READY = `init ${0x23000000}`;
const ON = '{"type":"transfer","on":true}';

async function press(name: string): Promise<void> {
  const button = await screen.findByRole('button', { name });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(button);
}

it('asks before it saves the file of sz, whose name has no folder, and closes at the end', async () => {
  const { says, line, heardAll } = open();
  await says(header(TYPES.requestInit));
  await heardAll(ON, READY);
  await says(...file('../etc/a\u202eb.txt', '5 0 0 0 1 5'));
  expect(await screen.findByText('a_b.txt')).toBeTruthy();
  expect(screen.getByText(/256 MiB/)).toBeTruthy();
  await press('保存');
  await heardAll(ON, READY, 'position 0');
  await says(...content('hello'));
  expect(await screen.findByText('5 B / 5 B')).toBeTruthy();
  await says(header(TYPES.endOfFile, 5), header(TYPES.finish));
  await heardAll(ON, READY, 'position 0', 'ack 5', READY, 'finish 0');
  expect(await saved[0]?.content.text()).toBe('hello');
  await act(async () => line.end());
  await waitFor(() => expect(close).toHaveBeenCalled());
});

it('asks for each of several files, and ignores a double click on the answer before', async () => {
  const { says, heardAll } = open();
  await says(header(TYPES.requestInit), ...file('one', '0 0 0 0 2 1'));
  expect(await screen.findByText('之后还有 1 个文件。')).toBeTruthy();
  await press('保存');
  const one = [ON, READY, 'position 0', READY];
  await says(header(TYPES.endOfFile), ...file('two', '1 0 0 0 1 1'));
  await heardAll(...one);
  await screen.findByText('two');
  fireEvent.click(screen.getByRole('button', { name: '保存' }));
  await heardAll(...one);
  await press('保存');
  await heardAll(...one, 'position 0');
});

it('refuses a file that the browser cannot keep, and cancels', async () => {
  const { says, line, heardAll } = open();
  await says(header(TYPES.requestInit), ...file('huge', `${2 ** 32} 0 0 0 1 1`));
  expect((await screen.findByRole('alert')).textContent).toContain('256 MiB');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: '保存' }).disabled).toBe(true);
  await press('取消传输');
  await heardAll(ON, READY, 'cancel');
  await act(async () => line.end());
  await waitFor(() => expect(close).toHaveBeenCalled());
  expect(saved).toEqual([]);
});

it('writes the file to the place that the user chose, and drops a part of it', async () => {
  const written: number[] = [];
  const writable = {
    write: async (bytes: Uint8Array) => void written.push(bytes.length),
    close: vi.fn(async () => undefined),
    abort: vi.fn(async () => undefined),
  };
  const showSaveFilePicker = vi
    .fn()
    .mockRejectedValueOnce(new DOMException('left', 'AbortError'))
    .mockResolvedValue({ createWritable: async () => writable });
  vi.stubGlobal('showSaveFilePicker', showSaveFilePicker);
  const { says, line, heardAll } = open();
  await says(header(TYPES.requestInit), ...file('large', `${2 ** 32} 0 0 0 1 1`));
  // The user leaves the dialog of the browser, and the question stays.
  await press('保存');
  await waitFor(() => expect(showSaveFilePicker).toHaveBeenCalledWith({ suggestedName: 'large' }));
  await press('保存');
  await heardAll(ON, READY, 'position 0');
  for (let part = 0; part < 33; part++) await says(...content('x'.repeat(8192), part * 8192));
  await waitFor(() => expect(written).toEqual([32 * 8192]));
  // The connection is lost.
  await act(async () => line.end());
  await waitFor(() => expect(writable.abort).toHaveBeenCalled());
  expect(writable.close).not.toHaveBeenCalled();
  await waitFor(() => expect(close).toHaveBeenCalled());
});

it('sends chosen files to rz, from the position that it asks for', async () => {
  const { says, line, heardAll } = open();
  await says(header(TYPES.init, 0x23000000));
  const input = await screen.findByLabelText<HTMLInputElement>('选择文件…', { selector: 'input' });
  const files = [
    new File(['0123456789'], 'ten.txt', { lastModified: 8000 }),
    new File(['x'], 'there.txt', { lastModified: 8000 }),
  ];
  fireEvent.change(input, { target: { files } });
  const begin = [ON, `file ${0x01000000}`, 'ten.txt\u000010 10 100644 0 2 11\u0000'];
  await heardAll(...begin);
  await says(header(TYPES.position, 4));
  const first = ['data 4', '456789'];
  await heardAll(...begin, ...first);
  await says(header(TYPES.ack, 10));
  await heardAll(...begin, ...first, 'endOfFile 10');
  await says(header(TYPES.init));
  const second = [`file ${0x01000000}`, 'there.txt\u00001 10 100644 0 1 1\u0000'];
  await heardAll(...begin, ...first, 'endOfFile 10', ...second);
  // The file exists.
  await says(header(TYPES.skip));
  await heardAll(...begin, ...first, 'endOfFile 10', ...second, 'finish 0');
  await says(header(TYPES.finish));
  await act(async () => line.end());
  await waitFor(() => expect(close).toHaveBeenCalled());
});

it('closes the question when rz does not wait any longer, and when the program cancels', async () => {
  const one = open();
  await one.says(header(TYPES.init));
  await screen.findByRole('button', { name: '选择文件…' });
  await act(async () => one.line.end());
  await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  expect(one.heard).toEqual([]);
  cleanup();
  const other = open();
  await other.says(header(TYPES.requestInit), ...file('a', '1'), CANCEL);
  await press('保存');
  await waitFor(() => expect(other.heard.at(-1)).toBe('cancel'));
  await act(async () => other.line.end());
  await waitFor(() => expect(close).toHaveBeenCalledTimes(2));
});
