import classes from "./code-block.module.css";

/** Text as it was written, in the letters of code; it scrolls in its own box. */
export function CodeBlock({
  text,
  label,
  maxHeight = 320,
}: {
  text: string;
  label: string;
  maxHeight?: number;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section className={classes.block} style={{ maxHeight }} tabIndex={0} aria-label={label}>
      <pre className={classes.text}>{text}</pre>
    </section>
  );
}
