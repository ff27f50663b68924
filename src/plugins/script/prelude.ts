/**
 * Evaluated in the script's own context before it: `console`, and the way its result leaves. It keeps its own hold of what it
 * uses, so that a script that replaces JSON.stringify harms nobody but itself.
 */
export const PRELUDE = `(function (write, globals) {
  const { parse, stringify } = JSON;
  const asText = String;
  const text = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return asText(value);
    try { return stringify(value) ?? asText(value); } catch { return asText(value); }
  };
  const line = (level) => (...values) => {
    let all = "";
    for (let i = 0; i < values.length; i++) all += (i ? " " : "") + text(values[i]);
    write(level, all);
  };
  globalThis.console = {
    debug: line("debug"), log: line("info"), info: line("info"), warn: line("warn"), error: line("error"),
  };
  const given = parse(globals);
  for (const name in given) globalThis[name] = given[name];
  return (value) => stringify(value);
})`;
