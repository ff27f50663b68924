import type { FaultDetail } from "../../contract/errors.ts";
import { looksSealed } from "../sealed.ts";
import { checkValue, nameFault } from "./check-value.ts";
import { isSensitive, type Template } from "./templates.ts";

/** What is kept of a connection's variables: plain texts, and sealed ones. */
export interface StoredVariables {
  plain: Readonly<Record<string, string>>;
  sealed: Readonly<Record<string, string>>;
}

export interface MergedVariables {
  plain: Record<string, string>;
  /** Secrets that were entered, in the clear: to be sealed. */
  entered: Record<string, string>;
  /** Sealed values that stay. */
  kept: Record<string, string>;
  /** Sealed values that were sent back for what stays: each must open for its own field. */
  returned: Record<string, string>;
  /** Sealed values where none can stand for anything: in a field that is not sealed, or has none to keep. */
  misplaced: string[];
  /** Secrets that would stay although where they go has changed. */
  toReenter: string[];
  /** Names of all variables that differ from before; a secret that is entered does, whatever it says. */
  changed: string[];
  faults: FaultDetail[];
}

const mostVariables = 50;

/**
 * What becomes of the stored variables when these are sent. Plain ones are replaced; secrets stay when they are left out or
 * sent back sealed, and go when they are sent empty.
 */
export function mergeVariables(
  template: Template,
  given: Readonly<Record<string, string>>,
  stored: StoredVariables = { plain: {}, sealed: {} },
): MergedVariables {
  const merged: MergedVariables = {
    plain: {},
    entered: {},
    kept: { ...stored.sealed },
    returned: {},
    misplaced: [],
    toReenter: [],
    changed: [],
    faults: [],
  };
  if (Object.keys(given).length > mostVariables) {
    merged.faults.push({ path: "/variables", message: `must have ${mostVariables} variables at most.` });
    return merged;
  }
  for (const [name, text] of Object.entries(given)) place(merged, template, stored, name, text);
  for (const name of missing(template, merged)) {
    if (!merged.faults.some(({ path }) => path === name.path)) merged.faults.push(name);
  }
  const before = { ...stored.plain, ...stored.sealed };
  const after = { ...merged.plain, ...merged.kept, ...merged.entered };
  merged.changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  if (template.destination.some((name) => merged.changed.includes(name))) {
    merged.toReenter = Object.keys(merged.kept);
  }
  return merged;
}

function place(
  merged: MergedVariables,
  template: Template,
  stored: StoredVariables,
  name: string,
  text: string,
): void {
  const path = `/variables/${name.replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 100)}`;
  const unknown = nameFault(template, name);
  if (unknown !== undefined) {
    merged.faults.push({ path, message: unknown });
    return;
  }
  const sensitive = isSensitive(template, name);
  if (text === "") {
    delete merged.kept[name];
    return;
  }
  if (looksSealed(text)) {
    if (sensitive && Object.hasOwn(stored.sealed, name)) merged.returned[name] = text;
    else merged.misplaced.push(name);
    return;
  }
  const field = template.fields.find((each) => each.name === name);
  const checked = checkValue(field, text);
  if ("fault" in checked) {
    merged.faults.push({ path, message: checked.fault });
    return;
  }
  if (!sensitive) {
    merged.plain[name] = checked.value;
    return;
  }
  delete merged.kept[name];
  merged.entered[name] = checked.value;
}

function missing({ fields, anyOfRequired }: Template, merged: MergedVariables): FaultDetail[] {
  const isThere = (name: string) =>
    [merged.plain, merged.entered, merged.kept].some((part) => Object.hasOwn(part, name)) ||
    merged.misplaced.includes(name);
  const alone = fields
    .filter(({ name, required }) => required && !isThere(name))
    .map(({ name }) => ({ path: `/variables/${name}`, message: "is required." }));
  const together = anyOfRequired
    .filter((names) => !names.some(isThere))
    .map((names) => ({ path: "/variables", message: `must have ${names.join(" or ")}.` }));
  return [...alone, ...together];
}
