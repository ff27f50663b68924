import { JsonInput, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { type BodyKind, isJson, type TemplateDraft } from "./draft.ts";
import { Pairs } from "./pairs.tsx";

interface BodyFieldsProps {
  draft: TemplateDraft;
  onChange: (change: Partial<TemplateDraft>) => void;
  disabled: boolean;
}

const kinds: { value: BodyKind; label: string }[] = [
  { value: "none", label: "None" },
  { value: "json", label: "JSON" },
  { value: "text", label: "Text" },
  { value: "form", label: "Form" },
];

/** What a request carries, if anything. */
export function BodyFields({ draft, onChange, disabled }: BodyFieldsProps) {
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={600} mb={4}>
          Body
        </Text>
        <SegmentedControl
          aria-label="Body"
          size="xs"
          disabled={disabled}
          data={kinds}
          value={draft.bodyKind}
          onChange={(kind) => onChange({ bodyKind: kind as BodyKind })}
        />
      </div>
      {draft.bodyKind === "json" && (
        <JsonInput
          aria-label="JSON body"
          placeholder={'{ "customer": "{{ params.customer }}" }'}
          autosize
          minRows={4}
          maxRows={20}
          disabled={disabled}
          value={draft.json}
          onChange={(json) => onChange({ json })}
          error={isJson(draft.json) ? undefined : "This is not JSON yet."}
          classNames={{ input: "mono" }}
        />
      )}
      {draft.bodyKind === "text" && (
        <Textarea
          aria-label="Text body"
          autosize
          minRows={3}
          maxRows={20}
          disabled={disabled}
          value={draft.text}
          onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
        />
      )}
      {draft.bodyKind === "form" && (
        <Pairs
          title="Fields of the form"
          noun="field"
          pairs={draft.form}
          onChange={(form) => onChange({ form })}
          faultOf={() => undefined}
          disabled={disabled}
        />
      )}
    </Stack>
  );
}
