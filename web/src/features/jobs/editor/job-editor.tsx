import { autocompletion } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { openLintPanel } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import type { Job } from "@contract/job.ts";
import { Anchor, Button, Grid, Paper, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconCircleCheck, IconCloudOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { CodeEditor } from "../../../components/code-editor/code-editor.tsx";
import { Fault } from "../../../components/fault.tsx";
import { Section } from "../../../components/page.tsx";
import { useCan } from "../../../services/session.tsx";
import { stepTypesQuery } from "../queries.ts";
import { type Checked, jobLinter } from "./check.ts";
import { jobCompletion, type Vocabulary } from "./completion.ts";
import { outlineOf, stepOf } from "./edit-text.ts";
import classes from "./editor.module.css";
import { LeaveGuard } from "./leave-guard.tsx";
import { rangeOf, read, stepAt } from "./place.ts";
import { useSave } from "./save.ts";
import { StepForm } from "./step-form.tsx";
import { StepOutline } from "./step-outline.tsx";
import { jobSchemaQuery, variablesQuery } from "./vocabulary.ts";

/** A job as YAML with completion and the server's faults in it, beside it a form for the step that the cursor is in. */
export default function JobEditor({ start, job }: { start: string; job?: Job }) {
  const [text, setText] = useState(start);
  const [chosen, setChosen] = useState<number>();
  const [checked, setChecked] = useState<Checked>();
  const view = useRef<EditorView>(null);
  const vocabulary = useVocabulary();
  const saved = useRef(false);
  const save = useSave(job, () => {
    saved.current = true;
  });
  const { types } = vocabulary.current;

  const extensions = useMemo(
    () => [
      yaml(),
      autocompletion({ override: [jobCompletion(() => vocabulary.current)] }),
      jobLinter(setChecked),
      EditorView.updateListener.of(({ state, docChanged, selectionSet, view: { hasFocus } }) => {
        if (docChanged) setChecked(undefined);
        // A change by the form moves the cursor too, and must not move on from its step.
        if (!selectionSet || !hasFocus) return;
        setChosen(stepAt(read(state.doc.toString()), state.selection.main.head));
      }),
    ],
    [vocabulary],
  );
  const document = useMemo(() => read(text), [text]);
  const readable = document.errors.length === 0;
  const steps = useMemo(() => outlineOf(document), [document]);
  const index = chosen === undefined ? undefined : Math.min(chosen, steps.length - 1);

  const choose = (next: number) => {
    setChosen(next);
    const { current: editor } = view;
    if (!editor) return;
    const { from } = rangeOf(read(editor.state.doc.toString()), `/steps/${next}`);
    editor.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "start", yMargin: 24 }),
    });
  };

  return (
    <div>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <CodeEditor
            value={text}
            onChange={setText}
            label="The job in YAML"
            extensions={extensions}
            view={view}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} className={classes.side}>
          <Section title="Steps">
            <Paper p="xs">
              <StepOutline
                text={text}
                steps={steps}
                chosen={index}
                types={types}
                onChoose={choose}
                onChange={setText}
              />
            </Paper>
          </Section>
          {!readable && (
            <Text size="sm" c="dimmed" mt="md">
              The form comes back once the text is YAML again.
            </Text>
          )}
          {readable && index !== undefined && index >= 0 && (
            <Paper p="md" mt="md">
              <StepForm
                key={index}
                text={text}
                index={index}
                step={stepOf(document, index)}
                types={types}
                onChange={setText}
              />
            </Paper>
          )}
          {readable && index === undefined && (
            <Text size="sm" c="dimmed" mt="md">
              Choose a step to fill it in as a form, or write in the text: Ctrl Space completes.
            </Text>
          )}
        </Grid.Col>
      </Grid>
      {save.error && (
        <Stack mt="md">
          <Fault error={save.error} title="It was not saved" />
        </Stack>
      )}
      <div className={classes.bar}>
        <Button
          onClick={() => save.mutate(text)}
          loading={save.isPending}
          disabled={job !== undefined && text === start}
        >
          {job ? "Save as a new version" : "Create the job"}
        </Button>
        <CheckedText
          checked={checked}
          onShow={() => {
            if (!view.current) return;
            openLintPanel(view.current);
          }}
        />
      </div>
      <LeaveGuard isDirty={() => text !== start && !saved.current} />
    </div>
  );
}

function useVocabulary() {
  const can = useCan();
  const types = useQuery(stepTypesQuery);
  const schema = useQuery(jobSchemaQuery);
  const variables = useQuery(variablesQuery(can));
  const vocabulary = useRef<Vocabulary>({ job: undefined, types: [], variables: [] });
  vocabulary.current = {
    job: schema.data,
    types: types.data ?? [],
    variables: (variables.data ?? []).map(({ label }) => label),
  };
  return vocabulary;
}

function CheckedText({ checked, onShow }: { checked: Checked | undefined; onShow: () => void }) {
  if (!checked) {
    return (
      <span className={classes.checked} role="status">
        Checking …
      </span>
    );
  }
  const { state } = checked;
  return (
    <span className={classes.checked} data-state={state} role="status">
      {state === "fine" && <IconCircleCheck size={17} aria-hidden />}
      {state === "faulty" && <IconAlertCircle size={17} aria-hidden />}
      {state === "away" && <IconCloudOff size={17} aria-hidden />}
      {state === "fine" && "Nothing is wrong with it"}
      {state === "faulty" && (
        <>
          {checked.count === 1 ? "One fault" : `${checked.count} faults`}
          <Anchor component="button" type="button" size="sm" onClick={onShow}>
            Show {checked.count === 1 ? "it" : "them"}
          </Anchor>
        </>
      )}
      {state === "away" && `Not checked: ${checked.why}`}
    </span>
  );
}
