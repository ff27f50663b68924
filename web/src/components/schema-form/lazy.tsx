import { Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { SchemaFormProps } from "./schema-form.tsx";

const Loaded = lazy(() => import("./schema-form.tsx"));

/** A form made from a JSON Schema; its script is loaded when the first one is shown. */
export function SchemaForm(props: SchemaFormProps) {
  const fields = Object.keys((props.schema.properties as object | undefined) ?? {}).length || 1;
  return (
    <Suspense
      fallback={
        <Stack gap="md">
          {Array.from({ length: Math.min(fields, 6) }, (_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <Skeleton key={i} height={58} radius="md" />
          ))}
        </Stack>
      }
    >
      <Loaded {...props} />
    </Suspense>
  );
}
