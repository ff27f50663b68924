import type { Dataset, DatasetColumn, DatasetRow } from "@contract/dataset.ts";
import { CloseButton, Group, Pagination, Paper, Skeleton, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Empty } from "../../components/empty.tsx";
import { Fault } from "../../components/fault.tsx";
import { fullTime } from "../../components/time-format.ts";
import type { RowsSearch } from "../../routes/configuration.ts";
import { rowsPerPage, rowsQuery } from "./queries.ts";
import classes from "./row-table.module.css";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

interface RowTableProps {
  dataset: Dataset;
  search: RowsSearch;
  onSearch: (search: RowsSearch) => void;
}

/** The rows of a dataset, a page at a time; found by text, sorted by a column. */
export function RowTable({ dataset, search, onSearch }: RowTableProps) {
  const { data, error, refetch, isPlaceholderData } = useQuery(rowsQuery(dataset, search));
  const page = search.page ?? 0;
  const pages = Math.ceil((data?.total ?? 0) / rowsPerPage);
  const sortBy = (name: string) =>
    onSearch({ ...search, page: undefined, sort: search.sort === name ? `-${name}` : name });
  return (
    <div>
      <Group justify="space-between" mb="sm" gap="sm">
        <RowSearch
          value={search.q ?? ""}
          onChange={(q) => onSearch({ ...search, page: undefined, q: q || undefined })}
        />
        <Text size="sm" c="dimmed" aria-live="polite">
          {data ? count(data.total, search.q !== undefined) : ""}
        </Text>
      </Group>
      {error && <Fault error={error} onRetry={() => void refetch()} />}
      {!error && (
        <Paper>
          {data?.total === 0 ? (
            <Empty title={search.q ? "No row fits" : "It has no rows yet"}>
              {search.q
                ? "Look for something else."
                : "Add some here, or upload them; steps append to it too."}
            </Empty>
          ) : (
            <section
              className={classes.scroller}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
              tabIndex={0}
              aria-label={`Rows of ${dataset.name}`}
              data-stale={isPlaceholderData || undefined}
            >
              <table className={classes.table}>
                <thead>
                  <tr>
                    {dataset.columns.map((column) => (
                      <Head
                        key={column.name}
                        column={column}
                        sort={search.sort}
                        onSort={() => sortBy(column.name)}
                      />
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {data
                    ? data.rows.map((row, i) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity than its place
                        <Row key={page * rowsPerPage + i} row={row} columns={dataset.columns} />
                      ))
                    : Array.from({ length: 8 }, (_, i) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
                        <tr key={i}>
                          {dataset.columns.map(({ name }) => (
                            <td key={name}>
                              <Skeleton height={11} width={60} />
                            </td>
                          ))}
                        </tr>
                      ))}
                </tbody>
              </table>
            </section>
          )}
        </Paper>
      )}
      {pages > 1 && (
        <Group justify="center" mt="md">
          <Pagination
            total={Math.min(pages, 1_000_000)}
            value={page + 1}
            onChange={(next) => onSearch({ ...search, page: next > 1 ? next - 1 : undefined })}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      )}
    </div>
  );
}

function count(total: number, filtered: boolean): string {
  const rows = total === 1 ? "1 row" : `${total.toLocaleString()} rows`;
  return filtered ? `${rows} found` : rows;
}

function Head({
  column,
  sort,
  onSort,
}: {
  column: DatasetColumn;
  sort: string | undefined;
  onSort: () => void;
}) {
  const direction =
    sort === column.name ? "ascending" : sort === `-${column.name}` ? "descending" : undefined;
  const Arrow = direction === "descending" ? IconArrowDown : IconArrowUp;
  return (
    <th aria-sort={direction} data-number={isNumber(column) || undefined}>
      <button type="button" className={classes.sort} onClick={onSort} title={column.name}>
        <span className={classes.name} dir="auto">
          {column.name}
        </span>
        <Arrow size={13} style={{ visibility: direction ? "visible" : "hidden" }} aria-hidden />
      </button>
      <span className={classes.type}>{column.type}</span>
    </th>
  );
}

const isNumber = ({ type }: DatasetColumn) => type === "integer" || type === "number";

function Row({ row, columns }: { row: DatasetRow; columns: DatasetColumn[] }) {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.name} data-number={isNumber(column) || undefined}>
          <Cell value={Object.hasOwn(row, column.name) ? row[column.name]! : null} column={column} />
        </td>
      ))}
    </tr>
  );
}

function Cell({ value, column }: { value: DatasetRow[string]; column: DatasetColumn }) {
  if (value === null) return <span className={classes.none}>null</span>;
  if (column.type === "timestamp") {
    const at = new Date(String(value));
    return (
      <time dateTime={String(value)} title={fullTime(at)}>
        {moment.format(at)}
      </time>
    );
  }
  const text = String(value);
  return (
    <span className={classes.text} title={text.length > 40 ? text.slice(0, 2000) : undefined} dir="auto">
      {text.slice(0, 400)}
    </span>
  );
}

function RowSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, 250);
  useEffect(() => setText(value), [value]);
  const set = (next: string) => {
    setText(next);
    tell(next.trim());
  };
  return (
    <TextInput
      type="search"
      aria-label="Search the rows"
      placeholder="Search the rows"
      leftSection={<IconSearch size={16} />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => set("")} />}
      w={280}
      maxLength={256}
      value={text}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}
