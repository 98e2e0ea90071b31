import { buildAsset, buildGranted, buildPermission, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

journey(
  'returns the keyboard to the terminal after every dialog and menu',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    const keyboard = page.locator('.xterm-helper-textarea:focus');
    let round = 0;
    const typesOn = async () => {
      await keyboard.waitFor({ state: 'attached' });
      round += 1;
      await page.keyboard.type(`echo round-$((${round}+100))\n`);
      await terminal.shows(`round-${round + 100}`);
    };
    const leave = async (overlay: 'dialog' | 'menu') => {
      // The keyboard goes into it a moment after it is shown; only then it can come back.
      await page.getByRole(overlay).and(page.locator(':focus-within')).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole(overlay).waitFor({ state: 'detached' });
    };
    await terminal.screen.getByRole('textbox').focus();
    await page.keyboard.press('Control+Shift+Slash');
    await leave('dialog');
    await typesOn();
    for (const name of ['Keyboard shortcuts', 'Settings']) {
      await page.getByRole('button', { name, exact: true }).click();
      await leave('dialog');
      await typesOn();
    }
    for (const name of ['Appearance', 'Tab list', `Account: ${person.name}`]) {
      await page.getByRole('button', { name, exact: true }).click();
      await leave('menu');
      await typesOn();
    }
    await page.getByRole('tab').click({ button: 'right' });
    await leave('menu');
    await typesOn();
  },
);

journey('searches for assets with the keyboard alone', async (open, { admin, sshd }) => {
  const { person, asset, account } = await buildGranted(admin, sshd);
  const other = await buildAsset(admin, sshd);
  const place = unique('place');
  const { body: nodes } = await admin.get<{ id: string; key: string }[]>('assets/nodes/');
  const root = nodes.find(({ key }) => !key.includes(':'))?.id;
  const node = await admin.post<{ id: string }>(`assets/nodes/${root}/children/`, { value: place });
  const placed = await buildAsset(admin, sshd, { nodes: [node.body.id] });
  await buildPermission(admin, [person], [other, placed], [account]);
  const visitor = await open({ language: 'en' });
  const { page } = visitor;
  await signIn(visitor, person, '/luna/');
  const search = page.getByRole('textbox', { name: 'Search by host name, IP or node' });
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('Control+Shift+KeyE');
  await search.and(page.locator(':focus')).waitFor();
  // Enter is not lost when it comes before the answer.
  await page.keyboard.type(asset.name);
  await page.keyboard.press('Enter');
  await new TerminalPage(page, 'en', asset.name).ready();

  await page.keyboard.press('Control+Shift+KeyE');
  await search.fill('server-');
  const hits = page.getByRole('list', { name: 'Assets found' }).getByRole('button');
  await hits.filter({ hasText: other.name }).waitFor();
  await search.press('ArrowDown');
  await hits.first().and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowUp');
  await search.and(page.locator(':focus')).waitFor();
  // A node is found by its name, and shows what is below it.
  await search.fill(place);
  await search.press('Enter');
  await page.getByRole('treeitem').filter({ hasText: placed.name }).waitFor();
  await page.getByRole('button', { name: 'Back to the search results' }).click();
  await page
    .getByRole('list', { name: 'Nodes found' })
    .getByRole('button')
    .filter({ hasText: place })
    .waitFor();
  await search.fill('');
  await page.getByRole('treeitem').first().waitFor();
  await search.press('ArrowDown');
  await page.locator('[role=treeitem]:focus').waitFor();
});

/** An event of an input method in the field of the terminal, or a pause. */
type Step =
  | {
      readonly key: number;
      readonly composing?: true;
      readonly code?: string;
      readonly ctrl?: true;
    }
  | { readonly compose: 'start' | 'update' | 'end'; readonly text: string }
  | { readonly up: true }
  | { readonly pause: number }
  | { readonly composed: string }
  | { readonly letter: string }
  | { readonly input: string; readonly type?: string };

const key = (keyCode: number, ...inputs: readonly Step[]): readonly Step[] => [
  { key: keyCode },
  ...inputs,
  { up: true },
];

/** A composition letter by letter, up to the text that its user takes. */
const composing = (letters: string, text: string): readonly Step[] => [
  { key: 229 },
  { compose: 'start', text: '' },
  ...[...letters].flatMap((_, at): Step[] => [
    ...(at === 0 ? [] : [{ key: 229, composing: true } as const]),
    { compose: 'update', text: letters.slice(0, at + 1) },
    { up: true },
  ]),
  { compose: 'update', text },
];

/** The end of a composition with a key: Chromium reports the key before, Safari after the end. */
const taken = (number: number, text: string, at: 'before' | 'after'): readonly Step[] => {
  const code = number === 13 ? 'Enter' : 'Space';
  const end = { compose: 'end', text } as const;
  return at === 'before'
    ? [{ key: 229, composing: true, code }, end, { up: true }]
    : [end, { key: 229, code }, { up: true }];
};

/**
 * Orders of events as they were published. xterm.js: iOS Safari (pull request 5614), a slow input
 * method (issue 6036), digits of Microsoft Pinyin on Windows (issue 3191), Sogou (issue 4486) and
 * Doubao (issue 5887) on macOS. Android with Gboard: UI Events, key 229. Safari on macOS, which
 * ends the composition before the key: WebKit bug 165004. Chromium on macOS and Windows, pinyin
 * and Japanese, where the key comes first: the same reports, and UI Events, 5.7.
 */
const ORDERS: readonly { readonly name: string; readonly steps: readonly Step[] }[] = [
  { name: '，', steps: key(0, { input: '，' }) },
  { name: '。', steps: key(229, { input: '。' }) },
  { name: '；', steps: key(229, { pause: 15 }, { input: '；' }) },
  { name: '，。', steps: [...key(229, { input: '，' }), ...key(229, { input: '。' })] },
  { name: '听写', steps: [{ input: '听写' }] },
  { name: '😀', steps: [{ input: '😀' }] },
  {
    name: 'ac',
    steps: [
      ...key(229, { input: 'ab' }),
      ...key(229, { input: '', type: 'deleteContentBackward' }),
      ...key(229, { input: 'c' }),
    ],
  },
  // Chromium under Fcitx: punctuation directly after a word, before the terminal has read the word.
  { name: '你好，。', steps: [{ composed: '你好' }, { input: '，' }, { input: '。' }] },
  { name: '你好，吗', steps: [{ composed: '你好' }, { input: '，' }, { composed: '吗' }] },
  {
    name: '你好，吗x',
    steps: [{ composed: '你好' }, { input: '，' }, { composed: '吗' }, { letter: 'x' }],
  },
  { name: '语言a你好', steps: [{ composed: '语言' }, { letter: 'a' }, { composed: '你好' }] },
  {
    name: '吗bb语言，',
    steps: [
      { composed: '吗' },
      { letter: 'b' },
      { letter: 'b' },
      { composed: '语言' },
      ...key(229, { input: '，' }),
    ],
  },
  {
    name: 'é，吗g',
    steps: [...key(229, { input: 'é' }), { composed: '，' }, { composed: '吗' }, { letter: 'g' }],
  },
  { name: '你好，x', steps: [{ composed: '你好' }, { input: '，' }, { letter: 'x' }] },
  { name: '你好！', steps: [{ composed: '你好' }, { pause: 15 }, { input: '！' }] },
  { name: '，', steps: [{ composed: '' }, { input: '，' }] },
  { name: '，', steps: [{ composed: '' }, { pause: 15 }, { input: '，' }] },
  // Pinyin, taken with the space: Chromium on macOS and Windows, then Safari on macOS.
  { name: '你好', steps: [...composing('nihao', '你好'), ...taken(32, '你好', 'before')] },
  { name: '你好', steps: [...composing('nihao', '你好'), ...taken(32, '你好', 'after')] },
  // Japanese, taken with Enter, which must not end the line: the same browsers.
  { name: '日本語', steps: [...composing('nihongo', '日本語'), ...taken(13, '日本語', 'before')] },
  { name: '日本語', steps: [...composing('nihongo', '日本語'), ...taken(13, '日本語', 'after')] },
  // Each digit of Microsoft Pinyin on Windows is one composition.
  { name: '12', steps: [...key(229, { composed: '1' }), ...key(229, { composed: '2' })] },
  // Punctuation of Sogou on macOS: the key has its own number during the composition.
  {
    name: '。',
    steps: [
      { compose: 'start', text: '' },
      { compose: 'update', text: '。' },
      { key: 190, composing: true },
      { compose: 'end', text: '。' },
      { up: true },
    ],
  },
  // Doubao on macOS in its English mode: the second key comes before the first is released.
  {
    name: 'mo',
    steps: [{ key: 229 }, { input: 'm' }, { key: 229 }, { input: 'o' }, { up: true }, { up: true }],
  },
  { name: 'word', steps: key(229, { input: 'word', type: 'insertReplacementText' }) },
];

journey('types what input methods and phones write', async (open, { admin, sshd }) => {
  const { person, asset } = await buildGranted(admin, sshd);
  const visitor = await open({ language: 'en' });
  const { page } = visitor;
  await signIn(visitor, person, '/luna/');
  const terminal = await connectTo(page, 'en', asset);
  await terminal.ready();
  const field = terminal.screen.getByRole('textbox');
  await field.focus();
  await page.keyboard.type('LC_ALL=C.UTF-8 exec bash\n');
  let round = 'A'.charCodeAt(0);
  const echoed = async (name: string, type: () => Promise<unknown>) => {
    const mark = String.fromCharCode(round++);
    await page.keyboard.type('echo "<');
    await type();
    await page.keyboard.type(`>${mark}" | rev\n`);
    await terminal.shows(`${mark}>${[...name].reverse().join('')}<`);
  };
  for (const { name, steps } of ORDERS)
    await echoed(name, () =>
      field.evaluate(async (element, steps) => {
        const area = element as HTMLTextAreaElement;
        let start = 0;
        for (const step of steps) {
          const options = { bubbles: true, cancelable: true, composed: true };
          if ('key' in step) {
            const { key: keyCode, code = '', composing = false, ctrl = false } = step;
            const names = { key: code || 'Unidentified', code, keyCode };
            const state = { isComposing: composing, ctrlKey: ctrl };
            area.dispatchEvent(new KeyboardEvent('keydown', { ...options, ...names, ...state }));
          } else if ('compose' in step) {
            const kind = `composition${step.compose}`;
            if (step.compose === 'start') start = area.value.length;
            else area.value = area.value.slice(0, start) + step.text;
            area.dispatchEvent(new CompositionEvent(kind, { ...options, data: step.text }));
          } else if ('letter' in step) {
            const pressed = {
              ...options,
              key: step.letter,
              keyCode: step.letter.toUpperCase().charCodeAt(0),
            };
            area.dispatchEvent(new KeyboardEvent('keydown', pressed));
            area.dispatchEvent(new KeyboardEvent('keyup', pressed));
          } else if ('up' in step) area.dispatchEvent(new KeyboardEvent('keyup', options));
          else if ('pause' in step) await new Promise((done) => setTimeout(done, step.pause));
          else if ('composed' in step) {
            area.dispatchEvent(new CompositionEvent('compositionstart', options));
            area.value += step.composed;
            const result = { ...options, data: step.composed };
            area.dispatchEvent(new CompositionEvent('compositionupdate', result));
            area.dispatchEvent(new CompositionEvent('compositionend', result));
          } else {
            area.value = step.input ? area.value + step.input : area.value.slice(0, -1);
            const inputType = step.type ?? 'insertText';
            const data = step.input || null;
            area.dispatchEvent(new InputEvent('input', { ...options, inputType, data }));
          }
        }
      }, steps),
    );
  // An active input method of Windows passes Ctrl and Escape on as key 229 (xterm.js issue 6065).
  const pass = (code: string, ctrlKey: boolean) =>
    field.evaluate((element, event) => element.dispatchEvent(new KeyboardEvent('keydown', event)), {
      key: 'Process',
      code,
      keyCode: 229,
      ctrlKey,
      bubbles: true,
      cancelable: true,
    });
  // A key reaches a program only after the shell gave it the terminal: each says that it runs.
  await page.keyboard.type(`sh -c 'echo run""s; exec sleep 100000'\n`);
  await terminal.shows(/\nruns$/);
  await pass('KeyC', true);
  await terminal.shows(/\^C\n.*\$$/);
  await page.keyboard.type(`sh -c 'echo read""s; exec cat -v'\n`);
  await terminal.shows(/\nreads$/);
  await pass('Escape', false);
  await page.keyboard.type('?\n');
  // The terminal's own echo comes first, then what the program has read.
  await terminal.shows('^[?\n^[?');
  await pass('KeyD', true);
  await terminal.shows(/\^\[\?\n.*\$$/);
  await echoed('done', () => page.keyboard.type('done'));
  // The browser's own interface for input methods.
  const browser = await page.context().newCDPSession(page);
  await echoed('你好，。', async () => {
    for (const text of ['n', 'ni', 'nih', 'nihao'])
      await browser.send('Input.imeSetComposition', { text, selectionStart: 1, selectionEnd: 1 });
    await browser.send('Input.insertText', { text: '你好' });
    await browser.send('Input.insertText', { text: '，' });
    await browser.send('Input.insertText', { text: '。' });
  });
});
