import type { FilterRequest } from "@contract/search.ts";
import { type ReactNode, useMemo } from "react";
import { Empty } from "../../components/empty.tsx";
import type { IconType } from "../../components/icon.ts";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { type TableState, toFilterRequest } from "../../components/table/filters.ts";
import { TableToolbar } from "../../components/table/toolbar.tsx";
import type { Source } from "../../components/table/windows.ts";

export interface RecordTableProps<T> {
  label: string;
  search: string;
  icon: IconType;
  state: TableState;
  onChange: (state: TableState) => void;
  fields: FilterField[];
  columns: Column<T>[];
  source: (request: FilterRequest) => Source<T>;
  /** How it is sorted unless the address says otherwise. */
  sort: string;
  rowKey: (row: T) => string;
  /** What to say, and to do, while there is none at all. */
  none: { title: string; says: ReactNode; action?: ReactNode };
  /** Ready-made filters beside the search field. */
  children?: ReactNode;
}

/** A searchable list of records as the address describes it. */
export function RecordTable<T>(props: RecordTableProps<T>) {
  const { state, onChange, source: sourceOf, none, icon: Icon } = props;
  const request = toFilterRequest(state, props.sort);
  const signature = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request is made anew each time; its text says whether it changed
  const source = useMemo(() => sourceOf(request), [signature]);
  const filtered = state.q !== undefined || state.f !== undefined;
  return (
    <div>
      <TableToolbar search={props.search} fields={props.fields} state={state} onChange={onChange}>
        {props.children}
      </TableToolbar>
      <DataTable
        label={props.label}
        source={source}
        columns={props.columns}
        rowKey={props.rowKey}
        sort={state.sort ?? (state.q ? undefined : props.sort)}
        onSort={(sort) => onChange({ ...state, sort })}
        empty={
          filtered ? (
            <Empty icon={<Icon size={34} stroke={1.4} />} title="Nothing fits">
              Take a condition away, or look for something else.
            </Empty>
          ) : (
            <Empty icon={<Icon size={34} stroke={1.4} />} title={none.title} action={none.action}>
              {none.says}
            </Empty>
          )
        }
      />
    </div>
  );
}
