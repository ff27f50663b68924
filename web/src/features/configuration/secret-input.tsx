import { Button, Group, Input, PasswordInput, Text, Textarea } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useId } from "react";
import classes from "./secret-input.module.css";

/** What becomes of a secret when the form is saved. Its value is never read, only entered. */
export type SecretChange = { kind: "keep" } | { kind: "remove" } | { kind: "enter"; text: string };

export const keepSecret: SecretChange = { kind: "keep" };

interface SecretInputProps {
  label: string;
  help?: string | undefined;
  required?: boolean;
  multiline?: boolean;
  /** Whether there is one already. */
  isSet: boolean;
  /** It can't be kept: what it would be sent to has changed. */
  mustReenter?: boolean;
  change: SecretChange;
  onChange: (change: SecretChange) => void;
  error?: string | undefined;
  disabled?: boolean;
}

/** A secret: shown as set, never its value; it can be replaced, removed, or kept. */
export function SecretInput(props: SecretInputProps) {
  const {
    label,
    help,
    required = false,
    isSet,
    mustReenter = false,
    change,
    onChange,
    error,
    disabled,
  } = props;
  const id = useId();
  const stays = isSet && !mustReenter;
  if (stays && change.kind !== "enter") {
    const removed = change.kind === "remove";
    return (
      <Input.Wrapper
        label={label}
        description={help}
        error={error}
        required={required}
        labelElement="div"
        id={id}
      >
        <Group gap="xs" className={classes.set} wrap="wrap" role="group" aria-label={label}>
          <Text span size="sm" c={removed ? "var(--st-red)" : "dimmed"} className={classes.state}>
            <IconLock size={15} aria-hidden />
            {removed ? "Goes when this is saved" : "Set"}
          </Text>
          {!disabled && (
            <Group gap={4} ml="auto">
              {removed ? (
                <Button size="compact-xs" variant="subtle" onClick={() => onChange(keepSecret)}>
                  Keep it
                </Button>
              ) : (
                <>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    onClick={() => onChange({ kind: "enter", text: "" })}
                  >
                    Replace
                  </Button>
                  {!required && (
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      color="gray"
                      onClick={() => onChange({ kind: "remove" })}
                    >
                      Remove
                    </Button>
                  )}
                </>
              )}
            </Group>
          )}
        </Group>
      </Input.Wrapper>
    );
  }
  return <Entry {...props} stays={stays} />;
}

function Entry({
  label,
  help,
  required,
  multiline,
  stays,
  isSet,
  mustReenter,
  change,
  onChange,
  error,
  disabled,
}: SecretInputProps & { stays: boolean }) {
  const text = change.kind === "enter" ? change.text : "";
  const again = isSet && mustReenter;
  const shared = {
    label,
    error,
    required: required || again,
    disabled,
    value: text,
    autoComplete: "off",
    // Replacing was asked for: the next thing is to type.
    autoFocus: stays,
    description: (
      <>
        {help}
        {again && (
          <Text span inherit c="var(--st-amber)">
            {help ? " " : ""}Enter it again: where it goes has changed.
          </Text>
        )}
      </>
    ),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(
        currentTarget.value === "" && !stays ? keepSecret : { kind: "enter", text: currentTarget.value },
      ),
  };
  return (
    <div>
      {multiline ? (
        <Textarea
          {...shared}
          autosize
          minRows={4}
          maxRows={12}
          spellCheck={false}
          classNames={{ input: classes.code }}
        />
      ) : (
        <PasswordInput {...shared} data-1p-ignore data-lpignore="true" />
      )}
      {stays && (
        <Button size="compact-xs" variant="subtle" color="gray" mt={4} onClick={() => onChange(keepSecret)}>
          Keep the one that is set
        </Button>
      )}
    </div>
  );
}
