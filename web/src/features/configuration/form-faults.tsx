import { IconAlertTriangle } from "@tabler/icons-react";
import { Fault } from "../../components/fault.tsx";
import { asClientError } from "../../services/api.ts";
import { Notice } from "./notice.tsx";

/** What the server found wrong at a place of what was sent, or undefined. */
export function faultAt(error: unknown, path: string): string | undefined {
  return (
    asClientError(error)
      ?.details.filter((detail) => detail.path === path)
      .map(({ message }) => sentence(message))
      .join(" ") || undefined
  );
}

/**
 * Why a form was not taken. Faults that its fields show themselves are only counted.
 * @param shown tells of a place whether a field shows it
 */
export function FormFault({ error, shown }: { error: unknown; shown: (path: string) => boolean }) {
  if (!error) return null;
  const fault = asClientError(error);
  const details = fault?.details ?? [];
  if (
    fault?.code !== "VALIDATION_FAILED" ||
    details.length === 0 ||
    !details.every(({ path }) => shown(path))
  ) {
    return <Fault error={error} title="It was not saved" />;
  }
  return (
    <Notice tone="red" icon={IconAlertTriangle} role="alert">
      {details.length === 1 ? "One field needs a look." : `${details.length} fields need a look.`} Nothing is
      saved yet.
    </Notice>
  );
}

function sentence(message: string): string {
  return message.replace(/^./, (letter) => letter.toUpperCase());
}
