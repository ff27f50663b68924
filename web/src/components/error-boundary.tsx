import { Container } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useRouter } from "@tanstack/react-router";
import { Fault } from "./fault.tsx";

/** Where a page fails, the frame around it stays, and it can be tried again. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  // A new version was installed while this page was open, and the file it wants is gone.
  const stale = /dynamically imported module|Importing a module script failed/i.test(String(error));
  const retry = () => {
    if (stale) return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      <Fault
        error={stale ? new Error("Pawl has been updated since this page was loaded. Load it again.") : error}
        title={stale ? "There is a newer version" : "This page failed"}
        onRetry={retry}
      />
    </Container>
  );
}
