// What people don't see and models read: controls, zero-width, direction and tag characters, variation selectors past emoji's own.
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Text of a stranger without what hides in it: control (but newline and tab), zero-width, direction and tag characters. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(hidden, "");
}
