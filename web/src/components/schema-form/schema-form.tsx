import type { FaultDetail } from "@contract/errors.ts";
import { Button, Group } from "@mantine/core";
import type { FormProps } from "@rjsf/core";
import { withTheme } from "@rjsf/core";
import { generateTheme } from "@rjsf/mantine";
import { type ErrorSchema, type RJSFSchema, toErrorSchema } from "@rjsf/utils";
import { type ReactNode, useMemo } from "react";
import { DateTimeWidget, DateWidget } from "./date-widgets.tsx";
import { JsonField } from "./json-field.tsx";
import { ErrorList, ObjectTemplate, SwitchWidget } from "./templates.tsx";
import { uiSchemaOf } from "./ui-schema.ts";
import { validator } from "./validator.ts";

const base = generateTheme();
const ThemedForm = withTheme({
  ...base,
  templates: { ...base.templates, ObjectFieldTemplate: ObjectTemplate, ErrorListTemplate: ErrorList },
  widgets: { ...base.widgets, DateWidget, DateTimeWidget, CheckboxWidget: SwitchWidget },
});

type Values = Record<string, unknown>;

export interface SchemaFormProps {
  schema: Record<string, unknown>;
  value: Values | undefined;
  onChange: (value: Values) => void;
  onSubmit?: (value: Values) => void;
  /** Faults that the server found, by JSON pointer into the value. */
  faults?: FaultDetail[];
  /** Buttons; one that submits with `label` when left out. */
  children?: ReactNode;
  label?: string;
  busy?: boolean;
  disabled?: boolean;
  /** Tells the fields of several forms on a page apart. */
  idPrefix?: string;
}

/** A form made from a JSON Schema: defaults filled in, checked while it is sent, faults at their fields. */
export default function SchemaForm(props: SchemaFormProps) {
  const {
    schema,
    value,
    onChange,
    onSubmit,
    faults,
    children,
    label = "Send",
    busy,
    disabled,
    idPrefix = "form",
  } = props;
  const own = useMemo(() => {
    // The page's own heading says what the whole is.
    const { title: _title, description: _description, ...rest } = schema;
    return { type: "object", ...rest } as RJSFSchema;
  }, [schema]);
  const uiSchema = useMemo(() => uiSchemaOf(own), [own]);
  const extraErrors = useMemo(() => faults && errorSchemaOf(faults), [faults]);
  const options: Partial<FormProps> = {
    experimental_defaultFormStateBehavior: { emptyObjectFields: "skipEmptyDefaults" },
  };
  return (
    <ThemedForm
      {...options}
      idPrefix={idPrefix}
      schema={own}
      uiSchema={uiSchema}
      fields={{ json: JsonField }}
      validator={validator}
      formData={value}
      onChange={({ formData }) => onChange(formData as Values)}
      onSubmit={({ formData }) => onSubmit?.((formData ?? {}) as Values)}
      extraErrors={extraErrors}
      // The form shows them; left out, they would go to the console too.
      onError={() => {}}
      disabled={disabled}
      focusOnFirstError
      noHtml5Validate
      tagName={onSubmit ? "form" : ("div" as never)}
    >
      {children !== undefined ? (
        children
      ) : (
        <Group mt="lg">
          <Button type="submit" loading={busy}>
            {label}
          </Button>
        </Group>
      )}
    </ThemedForm>
  );
}

/** Faults of the server, where the form shows them. */
function errorSchemaOf(faults: FaultDetail[]): ErrorSchema {
  return toErrorSchema(
    faults.map(({ path, message }) => {
      const property = path
        .split("/")
        .slice(1)
        .map((part) => `.${part.replaceAll("~1", "/").replaceAll("~0", "~")}`)
        .join("");
      return { name: "server", property, message, stack: `${path} ${message}`, schemaPath: "" };
    }),
  );
}
