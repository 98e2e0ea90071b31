import { afterEach, describe, expect, it } from 'vitest';
import { addKeyField, type KeyField } from './key-field.ts';

let open: KeyField | undefined;
afterEach(() => {
  open?.end();
  document.body.replaceChildren();
});

/** A picture with its field. `seen` has the keys of the picture, and the texts that were typed. */
function picture(composesDeadKeys = true) {
  const canvas = document.createElement('canvas');
  document.body.append(canvas);
  const seen: string[] = [];
  for (const kind of ['keydown', 'keyup'])
    canvas.addEventListener(kind, (event) => {
      const { key, code, ctrlKey } = event as KeyboardEvent;
      seen.push(`${kind === 'keydown' ? '+' : '-'}${ctrlKey ? 'Ctrl ' : ''}${key} ${code}`);
    });
  canvas.addEventListener('blur', () => seen.push('blur'));
  const press = (keys: readonly (readonly [number, string])[]) =>
    seen.push(keys.map(([keysym]) => keysym.toString(16)).join());
  open = addKeyField({ parent: document.body, canvas, label: 'desk', composesDeadKeys, press });
  open.focus();
  const field = document.querySelector('textarea') as HTMLTextAreaElement;
  const fire = (kind: string, init: KeyboardEventInit, target: EventTarget = field) => {
    const event = new KeyboardEvent(kind, { ...init, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event;
  };
  const write = (text: string) => {
    field.value += text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const compose = (...texts: readonly string[]) => {
    const before = field.value;
    field.dispatchEvent(new Event('compositionstart'));
    for (const text of texts) {
      field.value = before + text;
      field.dispatchEvent(new Event('input'));
    }
    field.dispatchEvent(new Event('compositionend'));
  };
  return { canvas, field, seen, fire, write, compose };
}

const A = { key: 'a', code: 'KeyA' };

describe('the field of a picture', () => {
  it('gives keys to the picture, and nothing else in the page', () => {
    const { seen, fire, field } = picture();
    let heard = 0;
    const hear = () => heard++;
    document.body.addEventListener('keydown', hear);
    expect(fire('keydown', { ...A, ctrlKey: true }).defaultPrevented).toBe(true);
    fire('keyup', A);
    document.body.removeEventListener('keydown', hear);
    expect(seen).toEqual(['+Ctrl a KeyA', '-a KeyA']);
    expect(heard).toBe(0);
    expect(field.getAttribute('aria-label')).toBe('desk');
  });

  it('types the texts of an input method once, when they are complete', () => {
    const { seen, fire, compose, write } = picture();
    const taken = fire('keydown', { key: 'n', code: 'KeyN', isComposing: true });
    expect(taken.defaultPrevented).toBe(false);
    compose('n', 'ni', '你好');
    fire('keyup', { key: 'n', code: 'KeyN' });
    compose('');
    write('é');
    write('😀');
    expect(seen).toEqual(['1004f60', '100597d', 'e9', '101f600']);
  });

  it('leaves a dead key and the letter after it to the browser, or to the desktop', () => {
    const dead = { key: 'Dead', code: 'BracketLeft' };
    const browser = picture();
    expect(browser.fire('keydown', dead).defaultPrevented).toBe(false);
    browser.fire('keydown', { key: 'Shift', code: 'ShiftLeft' });
    expect(browser.fire('keydown', { key: 'E', code: 'KeyE' }).defaultPrevented).toBe(false);
    browser.write('Ê');
    expect(browser.fire('keydown', A).defaultPrevented).toBe(true);
    expect(browser.seen).toEqual(['+Shift ShiftLeft', 'ca', '+a KeyA']);
    open?.end();
    const desktop = picture(false);
    expect(desktop.fire('keydown', dead).defaultPrevented).toBe(true);
    desktop.fire('keydown', A);
    expect(desktop.seen.slice(-2)).toEqual(['+Dead BracketLeft', '+a KeyA']);
  });

  it('releases held keys when the focus goes, with or without an event, and on macOS', () => {
    const { seen, fire, field } = picture();
    fire('keydown', { key: 'Control', code: 'ControlLeft' });
    fire('keydown', A);
    field.blur();
    expect(seen.slice(2)).toEqual(['-Control ControlLeft', '-a KeyA', 'blur']);
    seen.length = 0;
    field.focus();
    fire('keydown', A);
    fire('keyup', A, document.body);
    fire('keyup', A, document.body);
    expect(seen).toEqual(['+a KeyA', '-a KeyA']);
    seen.length = 0;
    fire('keydown', { key: 'Meta', code: 'MetaLeft' });
    fire('keydown', A);
    fire('keyup', { key: 'Meta', code: 'MetaLeft' });
    expect(seen.slice(2)).toEqual(['-Meta MetaLeft', '-a KeyA']);
  });

  it('takes the focus of the picture, and ends with it', () => {
    const { canvas, field } = picture();
    field.blur();
    canvas.dispatchEvent(new Event('mousedown'));
    expect(document.activeElement).toBe(field);
    field.blur();
    canvas.focus();
    expect(document.activeElement).toBe(field);
    open?.end();
    expect(document.querySelector('textarea')).toBe(null);
  });
});
