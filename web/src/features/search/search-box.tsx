import "@mantine/spotlight/styles.layer.css";
import { Group, Loader, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import {
  IconClock,
  IconFolder,
  IconPlayerPlay,
  IconRoute,
  IconSearch,
  IconSubtask,
} from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { IconType } from "../../components/icon.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { relativeTime } from "../../components/time-format.ts";
import { useRecents } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { type Found, findQuery } from "./find.ts";
import { usePageActions } from "./page-actions.ts";

const icons: Record<Found["kind"], IconType> = {
  job: IconRoute,
  step: IconSubtask,
  collection: IconFolder,
  execution: IconPlayerPlay,
};

const [store, box] = createSpotlight();

/** The library does this for what is there when a letter is typed; what is found comes later. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  for (const entry of list?.querySelectorAll("[data-selected]") ?? []) entry.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Ctrl K: finds jobs, steps, collections and executions, goes to pages, and does what can be done from anywhere. */
export default function SearchBox({ wanted }: { wanted: number }) {
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 150);
  const can = useCan();
  const navigate = useNavigate();
  const actions = usePageActions();
  const [recents] = useRecents();
  const found = useQuery({
    ...findQuery(query, can),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    if (wanted > 0) box.open();
  }, [wanted]);

  // Enter takes the best hit, also of those that came after the last letter.
  useEffect(() => {
    if (found.data) selectFirst();
  }, [found.data]);

  const open = ({ kind, id, jobId }: Pick<Found, "kind" | "id" | "jobId">) => {
    if (kind === "execution")
      return navigate({ to: "/executions/$executionId", params: { executionId: id } });
    if (kind === "collection")
      return navigate({ to: "/jobs", search: { f: [["collectionId", "equals", id]] } });
    return navigate({ to: "/jobs/$jobId", params: { jobId: kind === "job" ? id : jobId! } });
  };
  const words = query.toLowerCase().split(/\s+/);
  const fitting = actions.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const hits = query === "" ? [] : (found.data ?? []);

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
        placeholder="Search jobs, steps, collections, executions, or paste an id"
        aria-label="Search"
        leftSection={<IconSearch size={18} />}
        rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
        maxLength={256}
      />
      <Spotlight.ActionsList>
        {query === "" && recents.length > 0 && (
          <Spotlight.ActionsGroup label="Looked at lately">
            {recents.map(({ kind, id, name }) => (
              <Entry
                key={id}
                icon={kind === "job" ? IconRoute : IconClock}
                label={name}
                onClick={() => open({ kind, id })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {hits.length > 0 && (
          <Spotlight.ActionsGroup label="Found">
            {hits.map((hit) => (
              <Entry
                key={hit.id}
                icon={icons[hit.kind]}
                label={hit.name}
                about={hit.about}
                onClick={() => open(hit)}
                aside={
                  hit.status ? (
                    <Group gap="xs" wrap="nowrap">
                      <Text size="xs" c="dimmed">
                        {relativeTime(new Date(hit.at!), Date.now())}
                      </Text>
                      <StatusBadge status={hit.status} bare />
                    </Group>
                  ) : (
                    <Text size="xs" c="dimmed">
                      {hit.kind}
                    </Text>
                  )
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {fitting.length > 0 && (
          <Spotlight.ActionsGroup label="Go to and do">
            {fitting.map(({ label, icon, run }) => (
              <Entry key={label} icon={icon} label={label} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {query !== "" && hits.length === 0 && fitting.length === 0 && !found.isFetching && (
          <Spotlight.Empty>
            {found.error ? "The search failed; try again." : `Nothing is found for “${query}”.`}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
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
