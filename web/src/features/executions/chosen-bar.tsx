import { Affix, Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { useState } from "react";
import { sentenceOf } from "../../services/api.ts";
import { bulkActions, chosenScope } from "./bulk-actions.ts";
import { type Asked, BulkDialog } from "./bulk-dialog.tsx";
import classes from "./chosen-bar.module.css";
import { type Chosen, mostChosen } from "./use-chosen.ts";

/** What can be done with the executions that are chosen; in sight as long as there are any. */
export function ChosenBar({ names, full, error, clear }: Chosen) {
  const [asked, setAsked] = useState<Asked>();
  return (
    <>
      {(names.size > 0 || error !== null) && (
        <>
          <div className={classes.room} />
          <Affix withinPortal={false} zIndex={100} className={classes.place}>
            <Paper className={classes.bar} shadow="md" component="section" aria-label="Chosen executions">
              <Text size="sm" fw={600} aria-live="polite" className={classes.count}>
                {names.size.toLocaleString()} chosen
                {full && (
                  <Text span size="xs" c="dimmed">
                    {" "}
                    ({mostChosen} at a time at most)
                  </Text>
                )}
              </Text>
              <Group gap={6} className={classes.actions}>
                {bulkActions.map(({ name, verb, icon: Icon }) => (
                  <Button
                    key={name}
                    size="compact-sm"
                    variant="default"
                    classNames={{ root: classes.action, section: classes.icon }}
                    leftSection={<Icon size={13} />}
                    onClick={() => setAsked({ action: name, scope: chosenScope(names) })}
                  >
                    {verb} …
                  </Button>
                ))}
              </Group>
              <CloseButton size="sm" aria-label="Choose none" className={classes.close} onClick={clear} />
              {error !== null && (
                <Text size="xs" c="red" role="alert" w="100%">
                  {sentenceOf(error)}
                </Text>
              )}
            </Paper>
          </Affix>
        </>
      )}
      <BulkDialog asked={asked} onClose={() => setAsked(undefined)} />
    </>
  );
}
