import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { MariaSQL, MySQL, PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import type { DatabaseSchema, DatabaseType } from '@sallyport/contract';
import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import styles from './Query.module.css';

/** The editor's interface for the page. */
export interface EditorHandle {
  /** The selected text, or the whole text with the cursor position. */
  statement(): { readonly text: string; readonly at?: number };
  all(): string;
  insert(text: string): void;
  /** Moves the cursor to a position in the last run text. */
  goTo(position: number): void;
  focus(): void;
}

interface Props {
  readonly handle: RefObject<EditorHandle | null>;
  readonly label: string;
  readonly database: DatabaseType;
  readonly schema: DatabaseSchema | null;
  readonly onRun: () => void;
  readonly onRunAll: () => void;
}

const DIALECTS = { mysql: MySQL, mariadb: MariaSQL, postgresql: PostgreSQL } as const;

/** Runs the action of a key and stops its other handlers. */
function does(work: () => void): true {
  work();
  return true;
}

/** The tables by schema, in the format of the completion. */
function namespaceOf(schema: DatabaseSchema | null): SQLNamespace {
  const namespaces: Record<string, Record<string, string[]>> = {};
  for (const table of schema?.tables ?? []) {
    namespaces[table.schema] ??= {};
    const tables = namespaces[table.schema] ?? {};
    tables[table.name] = table.columns.map(({ name }) => name);
  }
  return namespaces;
}

function languageOf(database: DatabaseType, schema: DatabaseSchema | null): Extension {
  if (database === 'redis') {
    const options = (schema?.commands ?? []).map((label) => ({ label, type: 'keyword' }));
    const source = (context: CompletionContext) => {
      const word = context.matchBefore(/^\s*[A-Za-z]*/);
      return word && (word.from !== word.to || context.explicit)
        ? { from: word.to - word.text.trimStart().length, options, validFor: /^[A-Za-z]*$/ }
        : null;
    };
    return autocompletion({ override: [source] });
  }
  const [only, ...others] = new Set(schema?.tables.map((table) => table.schema));
  const usual = others.length === 0 ? only : database === 'postgresql' ? 'public' : undefined;
  return [
    sql({
      dialect: DIALECTS[database],
      schema: namespaceOf(schema),
      ...(usual && { defaultSchema: usual }),
    }),
    autocompletion(),
  ];
}

/** The editor of statements. */
export function Editor({ handle, label, database, schema, onRun, onRunAll }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const language = useRef(new Compartment());
  /** Offset of the last run text. */
  const origin = useRef(0);
  const runs = useRef({ onRun, onRunAll });
  runs.current = { onRun, onRunAll };

  useEffect(() => {
    if (!host.current) return;
    const keys = Prec.highest(
      keymap.of([
        { key: 'Mod-Shift-Enter', run: () => does(runs.current.onRunAll) },
        { key: 'Mod-Enter', run: () => does(runs.current.onRun) },
      ]),
    );
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        extensions: [
          keys,
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          closeBrackets(),
          syntaxHighlighting(classHighlighter),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          language.current.of([]),
        ],
      }),
    });
    view.current = editor;
    editor.focus();
    return () => editor.destroy();
  }, [label]);

  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(languageOf(database, schema)) });
  }, [database, schema]);

  useImperativeHandle(handle, () => ({
    statement() {
      const state = view.current?.state;
      if (!state) return { text: '' };
      const { from, to, head } = state.selection.main;
      origin.current = from === to ? 0 : from;
      return from === to
        ? { text: state.doc.toString(), at: head }
        : { text: state.sliceDoc(from, to) };
    },
    all() {
      origin.current = 0;
      return view.current?.state.doc.toString() ?? '';
    },
    insert(text) {
      const editor = view.current;
      if (!editor) return;
      editor.dispatch(editor.state.replaceSelection(text));
      editor.focus();
    },
    goTo(position) {
      const editor = view.current;
      if (!editor) return;
      const anchor = Math.min(origin.current + position, editor.state.doc.length);
      editor.dispatch({ selection: { anchor }, scrollIntoView: true });
      editor.focus();
    },
    focus: () => view.current?.focus(),
  }));
  return <div ref={host} className={styles.editor} />;
}
