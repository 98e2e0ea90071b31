import { label } from '@sallyport/contract';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { ImportDialog } from './ImportDialog.tsx';
import { words } from './words.ts';

/** A fake of the job socket in the browser. */
class JobSocket {
  static readonly opened: JobSocket[] = [];
  readonly address: URL;
  onmessage: ((event: { data: string }) => void) | undefined;
  onclose: (() => void) | undefined;

  constructor(address: string) {
    this.address = new URL(address);
    JobSocket.opened.push(this);
  }

  says(job: Readonly<Record<string, unknown>>): void {
    act(() => this.onmessage?.({ data: JSON.stringify({ type: 'job', job }) }));
  }

  close(): void {
    this.onclose?.();
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  JobSocket.opened.length = 0;
});

const COLUMNS = '名称,值';
const EXTENT = { source: label, base: {}, query: {}, selected: [] };
const ANSWERED = { body: [{ id: '1' }, { id: '2' }] };

it('shows the progress of the job named by the request, and reports a canceled check', async () => {
  let answer: (said: { status?: number; body: unknown }) => void = () => undefined;
  const server = new MemoryServer().on(
    'POST',
    'assets/labels/',
    () =>
      new Promise((settle) => {
        answer = settle;
      }),
  );
  vi.stubGlobal('WebSocket', JobSocket);
  await renderPage(<ImportDialog extent={EXTENT} modes={['create']} onClose={() => undefined} />);
  const input = await waitFor(() => {
    const fileInput = document.querySelector<HTMLInputElement>('input[type=file]');
    if (!fileInput) throw new Error('no place for a file');
    return fileInput;
  });
  const sent = () => server.requests.filter(({ method }) => method === 'POST');
  fireEvent.change(input, {
    target: { files: [new File([`${COLUMNS}\r\na,1\r\nb,2`], 'rows.csv', { type: 'text/csv' })] },
  });
  await waitFor(() => expect(JobSocket.opened).toHaveLength(1));
  await waitFor(() => expect(sent()).toHaveLength(1));
  // The check runs as a job as well.
  const [check] = JobSocket.opened;
  expect([sent()[0]?.query.dry_run, check?.address.searchParams.get('wait')]).toEqual(['1', '1']);
  expect(check?.address.searchParams.get('job')).toBe(sent()[0]?.query.job);
  const row = {
    id: sent()[0]?.query.job,
    title: 'x',
    state: 'running',
    state_display: 'Running',
    done: 1,
    total: 2,
    reason: '',
    can_cancel: true,
  };
  check?.says(row);
  await screen.findByText('50%');
  answer(ANSWERED);

  const confirm = await screen.findByRole('button', { name: /^导入 \d+ 行$/ });
  await waitFor(() => expect(confirm).toHaveProperty('disabled', false));
  fireEvent.click(confirm);
  await waitFor(() => expect(JobSocket.opened).toHaveLength(2));
  await waitFor(() => expect(sent()).toHaveLength(2));
  const write = JobSocket.opened[1];
  expect(write?.address.searchParams.get('job')).toBe(sent()[1]?.query.job);
  expect(sent()[1]?.query.job).not.toBe(sent()[0]?.query.job);
  write?.says({ ...row, id: sent()[1]?.query.job });
  await screen.findByRole('button', { name: '取消任务' });
  answer({
    status: 409,
    body: { code: 'job_canceled', detail: 'The job was canceled. Nothing was changed.' },
  });
  await screen.findByText('The job was canceled. Nothing was changed.');
});

it('imports the good rows first, keeps the bad ones, and adds a column that the file lacks', async () => {
  const refused = [{}, { value: ['This field is required'] }];
  const server = new MemoryServer().on('POST', 'assets/labels/', ({ query }) =>
    query.dry_run && server.requests.filter(({ method }) => method === 'POST').length === 1
      ? { status: 400, body: refused }
      : { body: [{ id: '1' }] },
  );
  vi.stubGlobal('WebSocket', JobSocket);
  await renderPage(<ImportDialog extent={EXTENT} modes={['create']} onClose={() => undefined} />);
  const input = await waitFor(() => {
    const fileInput = document.querySelector<HTMLInputElement>('input[type=file]');
    if (!fileInput) throw new Error('no place for a file');
    return fileInput;
  });
  const sent = async () =>
    Promise.all(
      server
        .bodies('POST', 'assets/labels/')
        .map(async (body) => (body instanceof Blob ? body.text() : '')),
    );
  fireEvent.change(input, {
    target: { files: [new File(['名称,问题\r\na,\r\nb,old'], 'rows.csv', { type: 'text/csv' })] },
  });

  // The file has no column for the value; the grid adds one.
  await screen.findByRole('columnheader', { name: '值' });
  fireEvent.click(await screen.findByRole('button', { name: t(words.importGood, { count: 1 }) }));
  await screen.findByText(t(words.importedCount, { count: 1 }));
  expect((await sent()).map((text) => text.replace('\uFEFF', ''))).toEqual([
    '名称\r\na\r\nb\r\n',
    '名称,值\r\na,\r\n',
  ]);
});
