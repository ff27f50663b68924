import { yaml } from "@codemirror/lang-yaml";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import type { JobVersion } from "@contract/job.ts";
import { Paper, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { codeTheme } from "../../components/code-editor/theme.ts";
import { yamlOf } from "./yaml-text.ts";

type Definition = JobVersion["definition"];

/** Two versions as one text, with what went and what came; what is alike in both folds away. */
export default function VersionDiff({
  before,
  after,
}: {
  before: Definition | undefined;
  after: Definition;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [old, now] = [before && yamlOf(before), yamlOf(after)];
  useEffect(() => {
    const difference =
      old === undefined
        ? []
        : unifiedMergeView({
            original: old,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          });
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: now,
        extensions: [
          lineNumbers(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": "What changed" }),
          yaml(),
          codeTheme,
          difference,
        ],
      }),
    });
    return () => view.destroy();
  }, [old, now]);
  return (
    <Paper style={{ overflow: "hidden" }}>
      {old === now && (
        <Text size="sm" c="dimmed" p="sm">
          Nothing but what does not show here, such as the ids of steps.
        </Text>
      )}
      <div ref={place} />
    </Paper>
  );
}
