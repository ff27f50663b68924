import { isMap, isSeq, type YAMLSeq } from "yaml";
import { type JobDocument, read } from "./place.ts";

export type Values = Record<string, unknown>;

/** What a step says, as far as it can be read. */
export function stepOf(document: JobDocument, index: number): Values {
  const step = document.getIn(["steps", index], true);
  const value: unknown = isMap(step) ? step.toJS(document) : undefined;
  return (value ?? {}) as Values;
}

export interface OutlinedStep {
  key: string;
  name: string;
  type: string;
}

export function outlineOf(document: JobDocument): OutlinedStep[] {
  const steps = document.get("steps", true);
  if (!isSeq(steps)) return [];
  return steps.items.map((item) => {
    const get = (name: string) => (isMap(item) ? String(item.get(name) ?? "") : "");
    return { key: get("key"), name: get("name") || get("key"), type: get("type") };
  });
}

/** The text with something in it changed: comments and what is written next to it stay as they are. */
function changed(text: string, change: (document: JobDocument) => void): string {
  const document = read(text);
  change(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Sets a field of a step; an empty one goes. */
export function setField(text: string, index: number, path: string[], value: unknown): string {
  return changed(text, (document) => {
    const place = ["steps", index, ...path];
    if (value === undefined || value === "") document.deleteIn(place);
    else document.setIn(place, document.createNode(value));
  });
}

/** Writes the fields of a step's input that are others now; defaults that the form filled in are left out. */
export function setInput(text: string, index: number, next: Values, defaults: Values): string {
  return changed(text, (document) => {
    const now = (stepOf(document, index).input ?? {}) as Values;
    for (const name of new Set([...Object.keys(now), ...Object.keys(next)])) {
      const value = next[name];
      if (same(now[name], value)) continue;
      const isDefault = !(name in now) && (same(value, defaults[name]) || isEmpty(value));
      if (isDefault) continue;
      if (value === undefined) document.deleteIn(["steps", index, "input", name]);
      else document.setIn(["steps", index, "input", name], document.createNode(value));
    }
  });
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A new step behind all others, with a key that none has. */
export function addStep(text: string, type: string): { text: string; index: number } {
  let index = 0;
  const next = changed(text, (document) => {
    const taken = outlineOf(document).map(({ key }) => key);
    const base = type.replace(/\W+/g, "_");
    let key = base;
    for (let i = 2; taken.includes(key); i++) key = `${base}${i}`;
    const step = document.createNode({ key, type, input: {} });
    const steps = document.get("steps", true);
    if (isSeq(steps)) steps.add(step);
    else document.set("steps", document.createNode([step]));
    index = (document.get("steps") as YAMLSeq).items.length - 1;
  });
  return { text: next, index };
}

export function moveStep(text: string, index: number, by: -1 | 1): string {
  return changed(text, (document) => {
    const { items } = document.get("steps") as YAMLSeq;
    const [step] = items.splice(index, 1);
    items.splice(index + by, 0, step);
  });
}

export function removeStep(text: string, index: number): string {
  return changed(text, (document) => void document.deleteIn(["steps", index]));
}
