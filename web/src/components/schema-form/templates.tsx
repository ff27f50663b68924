import { Alert, Fieldset, List, Stack, Switch, Text } from "@mantine/core";
import {
  buttonId,
  canExpand,
  type ErrorListProps,
  type ObjectFieldTemplateProps,
  type RJSFSchema,
  type RJSFValidationError,
  type WidgetProps,
} from "@rjsf/utils";

/** The fields of an object, one below the other; of one inside another in a frame of its own. */
export function ObjectTemplate(props: ObjectFieldTemplateProps) {
  const { title, description, properties, fieldPathId, schema, uiSchema, formData, registry, onAddProperty } =
    props;
  const { AddButton } = registry.templates.ButtonTemplates;
  const fields = (
    <Stack gap="md" id={fieldPathId.$id}>
      {properties
        .filter(({ hidden }) => !hidden)
        .map(({ name, content }) => (
          <div key={name}>{content}</div>
        ))}
      {canExpand(schema, uiSchema, formData) && (
        <div>
          <AddButton
            id={buttonId(fieldPathId, "add")}
            onClick={onAddProperty}
            disabled={props.disabled || props.readonly}
            uiSchema={uiSchema}
            registry={registry}
          />
        </div>
      )}
    </Stack>
  );
  if (fieldPathId.path.length === 0) return fields;
  return (
    <Fieldset
      legend={title}
      variant="unstyled"
      style={{ borderLeft: "2px solid var(--pawl-border)", paddingLeft: 16 }}
    >
      {description && (
        <Text size="xs" c="dimmed" mb="xs">
          {description}
        </Text>
      )}
      {fields}
    </Fieldset>
  );
}

/** Yes or no, with what it means under it. */
export function SwitchWidget({
  id,
  label,
  schema,
  value,
  onChange,
  disabled,
  readonly,
  rawErrors,
  required,
}: WidgetProps) {
  return (
    <Switch
      id={id}
      label={label}
      description={schema.description}
      checked={value === true}
      required={required}
      disabled={disabled || readonly}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      error={rawErrors?.join("\n")}
    />
  );
}

/** What is wrong in the form as a whole, for those who don't see the marked fields. */
export function ErrorList({ errors, schema }: ErrorListProps) {
  return (
    <Alert
      color="red"
      variant="light"
      mb="md"
      title={errors.length === 1 ? "One field needs a look" : `${errors.length} fields need a look`}
      role="alert"
    >
      <List size="sm">
        {errors.slice(0, 10).map((error) => (
          <List.Item key={error.stack}>{sentenceOf(error, schema)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** A field of the form itself is called by its label; one further in by its path. */
function sentenceOf({ property, message, stack }: RJSFValidationError, schema: RJSFSchema): string {
  const field = schema.properties?.[property?.slice(1) ?? ""];
  const label = typeof field === "object" ? field.title : undefined;
  return label ? `${label} ${message}` : stack;
}
