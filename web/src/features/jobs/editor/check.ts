import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { api, asClientError, sentenceOf } from "../../../services/api.ts";
import { rangeOf, read } from "./place.ts";

export type Checked = { state: "fine" } | { state: "faulty"; count: number } | { state: "away"; why: string };

/** Marks what the server would refuse, where it stands. What is no YAML is told at once, the rest once one stops typing. */
export function jobLinter(onChecked: (checked: Checked) => void): Extension {
  return linter(
    async (view) => {
      const text = view.state.doc.toString();
      const document = read(text);
      const broken = [...document.errors, ...document.warnings].map(
        ({ pos: [from, to], message }): Diagnostic => ({
          from: Math.min(from, text.length),
          to: Math.min(Math.max(to, from + 1), text.length),
          severity: "error",
          message: message.split("\n")[0]!.replace(/ at line \d+, column \d+:?$/, "."),
        }),
      );
      if (broken.length > 0) {
        onChecked({ state: "faulty", count: broken.length });
        return broken;
      }
      try {
        await api.checkJob({ text: { type: "application/yaml", content: text } });
        onChecked({ state: "fine" });
        return [];
      } catch (error) {
        const fault = asClientError(error);
        if (!fault || fault.status === 0 || fault.status >= 500) {
          onChecked({ state: "away", why: sentenceOf(error) });
          return [];
        }
        const faults = fault.details.length > 0 ? fault.details : [{ path: "", message: fault.message }];
        onChecked({ state: "faulty", count: faults.length });
        return faults.map(({ path, message }): Diagnostic => {
          const { from, to } = rangeOf(document, path);
          const at = Math.min(from, text.length);
          return { from: at, to: Math.min(Math.max(to, at + 1), text.length), severity: "error", message };
        });
      }
    },
    { delay: 500 },
  );
}
