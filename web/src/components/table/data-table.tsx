import { Skeleton, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Fault } from "../fault.tsx";
import classes from "./data-table.module.css";
import { type Source, useWindows } from "./windows.ts";

export interface Column<T> {
  id: string;
  header: string;
  /** In the place of the header's text. */
  head?: ReactNode;
  cell: (row: T, index: number) => ReactNode;
  /** Any CSS width; the columns without one share what is left. */
  width?: string;
  align?: "right";
  /** Field to sort by; begins with it descending where larger or later is what one looks for. */
  sort?: string;
  sortFirst?: "desc";
  /** Where it goes on a phone; nowhere when left out. */
  phone?: "title" | "aside" | "meta";
}

export interface DataTableProps<T> {
  /** What the rows are, for those who can't see them. */
  label: string;
  source: Source<T>;
  columns: Column<T>[];
  rowKey: (row: T) => string;
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** What to say when there is none. */
  empty: ReactNode;
}

/** How many rows stand in for those that are on their way. */
const waiting = 8;

/**
 * A list of any length without pages: only what is on the screen is read and drawn. The link in the first column
 * (class `rowLink`) covers its whole row.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const phone = useMediaQuery("(max-width: 40em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const frame = useRef<HTMLDivElement>(null);
  const margin = useOffset(frame);
  const [total, setTotal] = useState<number>();
  const virtual = useWindowVirtualizer({
    count: total ?? waiting,
    estimateSize: () => (phone ? 68 : 44),
    overscan: 8,
    scrollMargin: margin,
    getItemKey: (index) => `${phone} ${index}`,
  });
  const items = virtual.getVirtualItems();
  const list = useWindows(props.source, { first: items[0]?.index ?? 0, last: items.at(-1)?.index ?? 0 });
  if (list.total !== total) setTotal(list.total);

  if (list.error && list.total === undefined) return <Fault error={list.error} onRetry={list.retry} />;
  if (list.total === 0) return <div className={classes.frame}>{props.empty}</div>;

  const before = (items[0]?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin);
  const shared: Layout<T> = { ...props, items, row: list.row, before, after, total: list.total };
  return (
    <>
      {list.error && <Fault error={list.error} onRetry={list.retry} />}
      <div
        ref={frame}
        className={classes.frame}
        data-stale={list.stale || undefined}
        aria-busy={list.total === undefined}
      >
        {phone ? <Cards {...shared} /> : <Rows {...shared} />}
      </div>
    </>
  );
}

interface Layout<T> extends DataTableProps<T> {
  items: VirtualItem[];
  row: (index: number) => T | undefined;
  before: number;
  after: number;
  total: number | undefined;
}

function Rows<T>({ label, columns, items, row, rowKey, before, after, total, sort, onSort }: Layout<T>) {
  return (
    <table className={classes.table} aria-rowcount={(total ?? 0) + 1}>
      <caption>
        <VisuallyHidden>{label}</VisuallyHidden>
      </caption>
      <colgroup>
        {columns.map(({ id, width }) => (
          <col key={id} style={width ? { width } : undefined} />
        ))}
      </colgroup>
      <thead className={classes.head}>
        <tr>
          {columns.map((column) => (
            <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {before > 0 && <tr style={{ height: before }} aria-hidden />}
        {items.map(({ index }) => {
          const data = row(index);
          return (
            <tr
              key={data ? rowKey(data) : index}
              className={classes.row}
              data-link={data ? true : undefined}
              aria-rowindex={index + 2}
            >
              {columns.map((column) => (
                <td key={column.id} style={alignOf(column)}>
                  {data ? (
                    column.cell(data, index)
                  ) : (
                    <Skeleton height={12} width={`${45 + ((index * 17) % 40)}%`} />
                  )}
                </td>
              ))}
            </tr>
          );
        })}
        {after > 0 && <tr style={{ height: after }} aria-hidden />}
      </tbody>
    </table>
  );
}

function HeadCell<T>({
  column,
  sort,
  onSort,
}: {
  column: Column<T>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  const { header, head = header, sort: field, sortFirst } = column;
  if (!field || !onSort) return <th style={alignOf(column)}>{head}</th>;
  const direction = sort === field ? "ascending" : sort === `-${field}` ? "descending" : undefined;
  const next =
    direction === undefined
      ? sortFirst === "desc"
        ? `-${field}`
        : field
      : direction === "ascending"
        ? `-${field}`
        : field;
  const Arrow = direction === "descending" ? IconArrowDown : IconArrowUp;
  return (
    <th style={alignOf(column)} aria-sort={direction}>
      <button type="button" className={classes.sort} onClick={() => onSort(next)}>
        {header}
        {(direction || !column.align) && (
          <Arrow size={13} style={{ visibility: direction ? "visible" : "hidden" }} aria-hidden />
        )}
      </button>
    </th>
  );
}

function Cards<T>({ label, columns, items, row, rowKey, before, after }: Layout<T>) {
  const at = (place: Column<T>["phone"]) => columns.filter((column) => column.phone === place);
  return (
    <ul className={classes.list} aria-label={label}>
      {before > 0 && <li style={{ height: before }} aria-hidden />}
      {items.map(({ index }) => {
        const data = row(index);
        if (!data) {
          return (
            <li key={index} className={classes.card}>
              <Skeleton height={12} width="60%" />
              <Skeleton height={10} width="40%" />
            </li>
          );
        }
        return (
          <li key={rowKey(data)} className={classes.card} data-link>
            <div className={classes.cardTop}>
              <span className={classes.cardTitle}>
                {at("title").map(({ id, cell }) => (
                  <span key={id}>{cell(data, index)}</span>
                ))}
              </span>
              <span className={classes.cardAside}>
                {at("aside").map(({ id, cell }) => (
                  <span key={id}>{cell(data, index)}</span>
                ))}
              </span>
            </div>
            <div className={classes.cardMeta}>
              {at("meta").map(({ id, cell }) => (
                <span key={id}>{cell(data, index)}</span>
              ))}
            </div>
          </li>
        );
      })}
      {after > 0 && <li style={{ height: after }} aria-hidden />}
    </ul>
  );
}

function alignOf({ align }: { align?: "right" }): CSSProperties | undefined {
  return align ? { textAlign: align } : undefined;
}

/** Where the element begins on the whole page, kept up as what stands above it grows. */
function useOffset(ref: React.RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (ref.current) setOffset(ref.current.getBoundingClientRect().top + window.scrollY);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [ref]);
  return offset;
}

/** The class of the link that covers its row. */
export const rowLink = classes.link;
/** The class of what is to be clicked on its own in a row. */
export const aboveRow = classes.above;
