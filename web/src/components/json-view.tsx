import { useClipboard } from "@mantine/hooks";
import { type CSSProperties, useState } from "react";
import classes from "./json-view.module.css";

const chunk = 100;
const longText = 600;

/**
 * JSON as a tree that folds; every place has a path to copy, as expressions write it. All of it is text: nothing in the
 * data becomes markup.
 * @param path what the root is called in an expression, such as `steps.fetch.output`
 * @param open how many levels are unfolded at first
 */
export function JsonView({
  value,
  path = "",
  open = 2,
  maxHeight,
}: {
  value: unknown;
  path?: string;
  open?: number;
  maxHeight?: number | string;
}) {
  const style = maxHeight === undefined ? undefined : ({ "--json-max-height": maxHeight } as CSSProperties);
  return (
    // Scrolls, so it must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region
    <section className={classes.root} style={style} tabIndex={0} aria-label={path || "JSON"}>
      <Node name={undefined} value={value} path={path} depth={0} open={open} />
    </section>
  );
}

interface NodeProps {
  name: string | number | undefined;
  value: unknown;
  path: string;
  depth: number;
  open: number;
}

function Node({ name, value, path, depth, open }: NodeProps) {
  const isBranch = typeof value === "object" && value !== null;
  const [folded, setFolded] = useState(isBranch && depth >= open);
  const [shown, setShown] = useState(chunk);
  if (!isBranch) return <Leaf name={name} value={value} path={path} depth={depth} />;

  const list = Array.isArray(value);
  const entries: [string | number, unknown][] = list
    ? value.map((item, i) => [i, item])
    : Object.entries(value);
  const [before, after] = list ? ["[", "]"] : ["{", "}"];
  const count = `${entries.length} ${list ? (entries.length === 1 ? "item" : "items") : entries.length === 1 ? "field" : "fields"}`;
  if (entries.length === 0) return <Row name={name} path={path} depth={depth} text={before + after} />;
  return (
    <>
      <Row
        name={name}
        path={path}
        depth={depth}
        copied={value}
        folded={folded}
        onFold={() => setFolded(!folded)}
        text={folded ? `${before} … ${after}` : before}
        note={folded ? count : undefined}
      />
      {!folded && (
        <>
          {entries.slice(0, shown).map(([key, item]) => (
            <Node key={key} name={key} value={item} path={pathTo(path, key)} depth={depth + 1} open={open} />
          ))}
          {entries.length > shown && (
            <div style={indent(depth + 1)}>
              <button type="button" className={classes.more} onClick={() => setShown(shown + 10 * chunk)}>
                {entries.length - shown} more …
              </button>
            </div>
          )}
          <div style={indent(depth)} className={classes.row}>
            <span className={classes.quiet}>{after}</span>
          </div>
        </>
      )}
    </>
  );
}

function Leaf({ name, value, path, depth }: Omit<NodeProps, "open">) {
  const [whole, setWhole] = useState(false);
  const tone =
    typeof value === "string" ? classes.string : typeof value === "number" ? classes.number : classes.word;
  const text = typeof value === "string" ? JSON.stringify(value) : String(value ?? null);
  const cut = !whole && text.length > longText;
  return (
    <Row
      name={name}
      path={path}
      depth={depth}
      copied={value}
      text={cut ? `${text.slice(0, longText)}…` : text}
      tone={tone}
    >
      {cut && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          {text.length - longText} characters more
        </button>
      )}
    </Row>
  );
}

interface RowProps {
  name: string | number | undefined;
  path: string;
  depth: number;
  text: string;
  copied?: unknown;
  tone?: string | undefined;
  note?: string | undefined;
  folded?: boolean;
  onFold?: () => void;
  children?: React.ReactNode;
}

function Row({ name, path, depth, text, copied, tone, note, folded, onFold, children }: RowProps) {
  const clipboard = useClipboard({ timeout: 1200 });
  const key = name === undefined ? undefined : typeof name === "number" ? name : JSON.stringify(name);
  return (
    <div className={classes.row} style={indent(depth)}>
      {onFold && (
        <button
          type="button"
          className={classes.fold}
          onClick={onFold}
          aria-expanded={!folded}
          aria-label={`${folded ? "Unfold" : "Fold"} ${path || "all"}`}
        >
          {folded ? "▸" : "▾"}
        </button>
      )}
      {key !== undefined && (
        <>
          <span className={classes.key}>{key}</span>
          <span className={classes.quiet}>:&nbsp;</span>
        </>
      )}
      <span className={`${classes.value} ${tone ?? classes.quiet}`}>
        {text}
        {children}
      </span>
      {note && <span className={classes.quiet}>&nbsp;{note}</span>}
      {path && name !== undefined && (
        <button type="button" className={classes.copy} onClick={() => clipboard.copy(path)} title={path}>
          {clipboard.copied ? "copied" : "copy path"}
        </button>
      )}
      {name === undefined && copied !== undefined && (
        <button
          type="button"
          className={classes.copy}
          onClick={() => clipboard.copy(JSON.stringify(copied, null, 2))}
        >
          {clipboard.copied ? "copied" : "copy all"}
        </button>
      )}
    </div>
  );
}

function indent(depth: number): CSSProperties {
  return { paddingLeft: `${1.4 + depth * 1.1}rem` };
}

/** The path of a field or item as expressions write it. */
function pathTo(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
