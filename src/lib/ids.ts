import { uuidv7 } from "uuidv7";

/** A new UUIDv7: sorts by time, to the millisecond and beyond. */
export function newId(): string {
  return uuidv7();
}

/** The smallest UUIDv7 of a moment: a range of ids is a range of time. */
export function firstIdAt(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
