import type { StepTypeInfo } from "@contract/job.ts";
import { ActionIcon, Button, Menu, ScrollArea, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { StepIcon } from "../step-icon.tsx";
import { addStep, moveStep, type OutlinedStep, removeStep } from "./edit-text.ts";
import classes from "./editor.module.css";

interface StepOutlineProps {
  text: string;
  steps: OutlinedStep[];
  chosen: number | undefined;
  types: StepTypeInfo[];
  onChoose: (index: number) => void;
  onChange: (text: string) => void;
}

/** The steps in their order: the way to each of them, and to a new one. */
export function StepOutline({ text, steps, chosen, types, onChoose, onChange }: StepOutlineProps) {
  return (
    <div>
      <ol className={classes.outline} aria-label="Steps of the job">
        {steps.map((step, index) => (
          // A step has no identity but its place while it is written.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index} className={classes.outlined} data-chosen={index === chosen || undefined}>
            <button
              type="button"
              className={classes.choose}
              aria-current={index === chosen || undefined}
              onClick={() => onChoose(index)}
            >
              <StepIcon type={step.type} size={16} />
              <span className="clip">{step.name || `Step ${index + 1}`}</span>
            </button>
            {index === chosen && (
              <span className={classes.tools}>
                <Tool
                  label="Move it up"
                  disabled={index === 0}
                  onClick={() => {
                    onChange(moveStep(text, index, -1));
                    onChoose(index - 1);
                  }}
                >
                  <IconArrowUp size={15} />
                </Tool>
                <Tool
                  label="Move it down"
                  disabled={index === steps.length - 1}
                  onClick={() => {
                    onChange(moveStep(text, index, 1));
                    onChoose(index + 1);
                  }}
                >
                  <IconArrowDown size={15} />
                </Tool>
                <Tool label="Remove the step" onClick={() => onChange(removeStep(text, index))}>
                  <IconTrash size={15} />
                </Tool>
              </span>
            )}
          </li>
        ))}
      </ol>
      <Menu position="bottom-start" width={300}>
        <Menu.Target>
          <Button size="xs" variant="light" mt="xs" leftSection={<IconPlus size={14} />}>
            Add a step
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ScrollArea.Autosize mah={360}>
            {types.map(({ name, title, description }) => (
              <Menu.Item
                key={name}
                leftSection={<StepIcon type={name} />}
                onClick={() => {
                  const added = addStep(text, name);
                  onChange(added.text);
                  onChoose(added.index);
                }}
              >
                {title}
                <Text size="xs" c="dimmed" lineClamp={1}>
                  {description}
                </Text>
              </Menu.Item>
            ))}
          </ScrollArea.Autosize>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

interface ToolProps {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Tool({ label, disabled, onClick, children }: ToolProps) {
  return (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}
