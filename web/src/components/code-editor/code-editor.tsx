import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { type RefObject, useEffect, useRef } from "react";
import classes from "./code-editor.module.css";
import { codeTheme } from "./theme.ts";

interface CodeEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** The language, completion, checks. Read once: what they look up may change, they may not. */
  extensions: Extension[];
  /** The view, for who moves its cursor. */
  view?: RefObject<EditorView | null>;
}

/** A text with a language. Escape and then Tab leaves it: Tab alone indents. */
export function CodeEditor({ value, onChange, label, extensions, view: outer }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const own = useRef<EditorView>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  const begun = useRef({ value, label, extensions });
  useEffect(() => {
    const { value, label, extensions } = begun.current;
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          lintGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of("  "),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ icons: false, maxRenderedOptions: 60 }),
          highlightActiveLine(),
          EditorView.contentAttributes.of({ "aria-label": label }),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...lintKeymap,
            ...foldKeymap,
            ...historyKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current(update.state.doc.toString());
          }),
          codeTheme,
          extensions,
        ],
      }),
    });
    own.current = view;
    if (outer) outer.current = view;
    return () => {
      view.destroy();
      own.current = null;
      if (outer) outer.current = null;
    };
  }, [outer]);
  useEffect(() => {
    if (own.current) replaceText(own.current, value);
  }, [value]);
  return <div ref={place} className={classes.editor} />;
}

/** Changes only what differs, so that the cursor, the folds and what can be undone stay. */
function replaceText(view: EditorView, next: string): void {
  const now = view.state.doc.toString();
  if (now === next) return;
  let from = 0;
  while (from < now.length && from < next.length && now[from] === next[from]) from++;
  let [to, end] = [now.length, next.length];
  while (to > from && end > from && now[to - 1] === next[end - 1]) {
    to--;
    end--;
  }
  view.dispatch({ changes: { from, to, insert: next.slice(from, end) } });
}
