import "@mantine/spotlight/styles.layer.css";
import { Group, Loader, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { IconType } from "../../components/icon.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { relativeTime } from "../../components/time-format.ts";
import { useRecents } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { type Found, findQuery, isId } from "./find.ts";
import { findRecordsQuery } from "./find-records.ts";
import { kinds, useOpen } from "./kinds.ts";
import { usePageActions } from "./page-actions.ts";

const [store, box] = createSpotlight();

/**
 * The library selects the first of what is there when a letter is typed. What is found comes later, above and between:
 * whoever has gone down stays where they are, everyone else at the top.
 */
function keepSelected(): void {
  const { listId, selected: before } = store.getState();
  const entries = [...(document.getElementById(listId)?.querySelectorAll("[data-action]") ?? [])];
  const at = before > 0 ? entries.findIndex((entry) => entry.hasAttribute("data-selected")) : 0;
  const selected = Math.max(0, at);
  for (const entry of entries) entry.removeAttribute("data-selected");
  entries[selected]?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected }));
}

/** Ctrl K: finds what there is, goes to pages, and does what can be done from anywhere. */
export default function SearchBox({ wanted }: { wanted: number }) {
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 150);
  const can = useCan();
  const open = useOpen();
  const actions = usePageActions();
  const [recents] = useRecents();
  // What was found before stays until the answer is there; not for an id, which is pasted and followed by Enter at once.
  const asked = {
    enabled: query !== "",
    ...(isId(query) ? {} : { placeholderData: keepPreviousData }),
  };
  const found = useQuery({ ...findQuery(query, can), ...asked });
  const records = useQuery({ ...findRecordsQuery(query, can), ...asked });
  useEffect(() => {
    if (wanted > 0) box.open();
  }, [wanted]);

  // Enter takes the best hit, also of those that came after the last letter.
  useEffect(() => {
    if (found.data || records.data) keepSelected();
  }, [found.data, records.data]);

  const words = query.toLowerCase().split(/\s+/);
  const fitting = actions.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const groups = [
    { label: "Found", hits: found.data ?? [] },
    { label: "What jobs use", hits: records.data ?? [] },
  ].filter(({ hits }) => query !== "" && hits.length > 0);
  const isFetching = found.isFetching || records.isFetching;

  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight="min(520px, 70vh)"
      size="lg"
      radius="lg"
      attributes={{ content: { "aria-label": "Search" } }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 2 }}
    >
      <Spotlight.Search
        placeholder="Search everything, or paste an id"
        aria-label="Search"
        leftSection={<IconSearch size={18} />}
        rightSection={isFetching ? <Loader size="xs" /> : undefined}
        maxLength={256}
      />
      <Spotlight.ActionsList>
        {text.trim() === "" && recents.length > 0 && (
          <Entries label="Looked at lately">
            {recents.map(({ kind, id, name }) => (
              <Entry key={id} icon={kinds[kind].icon} label={name} onClick={() => open({ kind, id })} />
            ))}
          </Entries>
        )}
        {groups.map(({ label, hits }) => (
          <Entries key={label} label={label}>
            {hits.map((hit) => (
              <Entry
                key={hit.id}
                icon={kinds[hit.kind].icon}
                label={hit.name}
                about={hit.about}
                onClick={() => open(hit)}
                aside={<Aside hit={hit} />}
              />
            ))}
          </Entries>
        ))}
        {fitting.length > 0 && (
          <Entries label="Go to and do">
            {fitting.map(({ label, icon, run }) => (
              <Entry key={label} icon={icon} label={label} onClick={run} />
            ))}
          </Entries>
        )}
        {query !== "" && groups.length === 0 && fitting.length === 0 && !isFetching && (
          <Spotlight.Empty>
            {(found.error ?? records.error)
              ? "The search failed; try again."
              : `Nothing is found for “${query}”.`}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** What kind of thing a hit is; of an execution when it began, and how it is. */
function Aside({ hit: { kind, status, at } }: { hit: Found }) {
  if (!status) {
    return (
      <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {kinds[kind].word}
      </Text>
    );
  }
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="xs" c="dimmed">
        {relativeTime(new Date(at!), Date.now())}
      </Text>
      <StatusBadge status={status} bare />
    </Group>
  );
}

/** The library writes the label by style only, which nobody hears. */
function Entries({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Spotlight.ActionsGroup label={label} role="group" aria-label={label}>
      {children}
    </Spotlight.ActionsGroup>
  );
}

interface EntryProps {
  icon: IconType;
  label: string;
  about?: string | undefined;
  aside?: React.ReactNode;
  onClick: () => void;
}

function Entry({ icon: Icon, label, about, aside, onClick }: EntryProps) {
  return (
    <Spotlight.Action onClick={onClick}>
      <Group wrap="nowrap" w="100%" gap="sm" miw={0}>
        <Icon size={18} stroke={1.6} />
        <div style={{ flex: 1, minWidth: 0 }}>
          <Text size="sm" truncate>
            {label}
          </Text>
          {about && (
            <Text size="xs" c="dimmed" truncate>
              {about}
            </Text>
          )}
        </div>
        {aside}
      </Group>
    </Spotlight.Action>
  );
}
