import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Looks like the rest of the page, light and dark: the colours are those of the page's own variables. */
export const codeTheme: Extension = [
  EditorView.theme({
    "&": { fontSize: "0.8125rem", backgroundColor: "var(--pawl-card)", color: "var(--mantine-color-text)" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.55" },
    ".cm-gutters": {
      backgroundColor: "transparent",
      color: "var(--mantine-color-dimmed)",
      border: "none",
      paddingLeft: "4px",
    },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "light-dark(#f1f5f6aa, #25292eaa)" },
    ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      backgroundColor: "light-dark(#cfe5ea, #21454d) !important",
    },
    ".cm-tooltip": {
      backgroundColor: "var(--pawl-card)",
      border: "1px solid var(--pawl-border)",
      borderRadius: "8px",
      boxShadow: "0 4px 16px #0002",
      overflow: "hidden",
    },
    ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mantine-font-family-monospace)", maxWidth: "34em" },
    ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
    ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
      backgroundColor: "var(--pawl-active)",
      color: "var(--mantine-color-text)",
    },
    ".cm-completionDetail": { color: "var(--mantine-color-dimmed)", fontStyle: "normal" },
    ".cm-completionInfo": {
      padding: "6px 10px",
      maxWidth: "320px",
      fontFamily: "var(--mantine-font-family)",
    },
    ".cm-diagnostic": { padding: "5px 10px", fontFamily: "var(--mantine-font-family)" },
    ".cm-diagnostic-error": { borderLeftColor: "var(--st-red-solid)" },
    ".cm-panels": { backgroundColor: "var(--pawl-page)", color: "var(--mantine-color-text)" },
    ".cm-changedLine, .cm-insertedLine": { backgroundColor: "light-dark(#e7f6ec, #12301c) !important" },
    ".cm-deletedChunk, .cm-deletedLine": { backgroundColor: "light-dark(#fdeeed, #3a1a19) !important" },
    ".cm-changedText, .cm-insertedLine .cm-changedText": {
      background: "light-dark(#bfe6cb, #1f5a33) !important",
    },
    ".cm-deletedChunk .cm-deletedText": { background: "light-dark(#f9cdca, #6d2a27) !important" },
    ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: "''" },
    ".cm-collapsedLines": {
      backgroundColor: "var(--pawl-page)",
      backgroundImage: "none",
      color: "var(--mantine-color-dimmed)",
      padding: "3px 12px",
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "light-dark(#0b5563, #8fd0dd)" },
      { tag: tags.string, color: "light-dark(#1c6838, #93d7a9)" },
      { tag: [tags.number, tags.integer, tags.float], color: "light-dark(#1257a6, #93c5fd)" },
      { tag: [tags.bool, tags.null, tags.keyword, tags.atom], color: "light-dark(#855000, #f0c274)" },
      { tag: [tags.comment, tags.lineComment], color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
      { tag: [tags.meta, tags.punctuation, tags.separator], color: "var(--mantine-color-dimmed)" },
    ]),
  ),
];
